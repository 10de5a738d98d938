import { join } from 'node:path';
import { startDevCluster } from '@interlock/devcluster';
import { createClient, Namespace, type Client } from '@interlock/kube';
import { parse } from 'yaml';
import { workshopNamespace, type Manifest } from './workshop.js';

/** An embedded cluster. */
export interface TestCluster {
  readonly client: Client;
  /** The kubeconfig of an administrator, as an object. */
  readonly admin: { clusters: { name: string }[] };
  /** Writes that kubeconfig to a file. @returns its path. */
  writeKubeconfig(folder: string): string;
  /**
   * Applies the objects of kinds that the cluster serves, with strict field validation. @returns the kinds that it does
   * not serve
   */
  apply(manifests: readonly Manifest[]): Promise<Set<string>>;
  /** Returns whether a kind is served. */
  serves(apiVersion: string, kind: string): Promise<boolean>;
  /** Returns a client that acts as a user with all permissions. It is closed with the cluster. */
  as(user: string): Client;
  close(): Promise<void>;
}

/** @param withNamespace false if the caller creates the namespace. */
export async function openCluster({ withNamespace = true } = {}): Promise<TestCluster> {
  const cluster = await startDevCluster();
  const admin = parse(cluster.kubeconfig) as TestCluster['admin'];
  const client = createClient({ kubeConfig: admin, userAgent: 'charts', defaultFieldManager: 'charts' });
  if (withNamespace)
    await client.create(Namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: workshopNamespace },
    });
  const others: Client[] = [];
  return {
    client,
    admin,
    as: (user) => {
      const impersonate = { user, groups: ['system:masters', 'system:authenticated'] };
      const other = createClient({
        kubeConfig: admin,
        userAgent: 'charts',
        defaultFieldManager: 'charts',
        impersonate,
      });
      others.push(other);
      return other;
    },
    writeKubeconfig: (folder) => {
      const path = join(folder, 'kubeconfig');
      cluster.writeKubeconfig(path);
      return path;
    },
    apply: async (manifests) => {
      const unknown = new Set<string>();
      for (const manifest of manifests) {
        const collection = await collectionOf(client, manifest);
        if (collection === undefined) unknown.add(manifest.kind);
        else await apply(client, collection, manifest);
      }
      return unknown;
    },
    serves: async (apiVersion, kind) => (await client.resolveKind(apiVersion, kind)) !== undefined,
    close: async () => {
      for (const one of [client, ...others]) await one.close();
      await cluster.close();
    },
  };
}

async function apply(client: Client, collection: string, manifest: Manifest): Promise<void> {
  await client.raw({
    method: 'PATCH',
    path: `${collection}/${manifest.metadata.name}?fieldManager=charts&fieldValidation=Strict`,
    contentType: 'application/apply-patch+yaml',
    body: manifest,
  });
}

/** Returns the path of the collection of an object. */
async function collectionOf(client: Client, manifest: Manifest): Promise<string | undefined> {
  const { apiVersion, kind, metadata } = manifest;
  const served = await client.resolveKind(apiVersion, kind);
  if (served === undefined) return undefined;
  const namespace = served.namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : '';
  return `${groupPath(apiVersion)}${namespace}/${served.plural}`;
}

const groupPath = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
