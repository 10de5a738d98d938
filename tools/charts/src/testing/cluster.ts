import { join } from 'node:path';
import { startDevCluster } from '@interlock/devcluster';
import { createClient, Namespace, type Client } from '@interlock/kube';
import { parse } from 'yaml';
import { NAMESPACE, type Manifest } from './workshop.js';

/** An embedded cluster. */
export interface TestCluster {
  readonly client: Client;
  /** The kubeconfig of an admin, as an object. */
  readonly admin: { clusters: { name: string }[] };
  /** Writes that kubeconfig to a file. @returns its path. */
  writeKubeconfig(folder: string): string;
  /** Applies objects of kinds that the cluster serves; unknown fields are errors. @returns the kinds that it does not serve. */
  apply(manifests: readonly Manifest[]): Promise<Set<string>>;
  /** @returns whether a kind is served. */
  serves(apiVersion: string, kind: string): Promise<boolean>;
  close(): Promise<void>;
}

/** @param withNamespace false leaves the namespace to the caller. */
export async function openCluster({ withNamespace = true } = {}): Promise<TestCluster> {
  const cluster = await startDevCluster();
  const admin = parse(cluster.kubeconfig) as TestCluster['admin'];
  const client = createClient({ kubeConfig: admin, userAgent: 'charts', defaultFieldManager: 'charts' });
  if (withNamespace)
    await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  return {
    client,
    admin,
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
    serves: async (apiVersion, kind) => (await resourceOf(client, apiVersion, kind)) !== undefined,
    close: async () => {
      await client.close();
      await cluster.close();
    },
  };
}

interface ApiResource {
  name: string;
  kind: string;
  namespaced: boolean;
}

async function apply(client: Client, collection: string, manifest: Manifest): Promise<void> {
  await client.raw({
    method: 'PATCH',
    path: `${collection}/${manifest.metadata.name}?fieldManager=charts&fieldValidation=Strict`,
    contentType: 'application/apply-patch+yaml',
    body: manifest,
  });
}

/** @returns the path of the collection that an object belongs to. */
async function collectionOf(client: Client, manifest: Manifest): Promise<string | undefined> {
  const { apiVersion, kind, metadata } = manifest;
  const resource = await resourceOf(client, apiVersion, kind);
  if (resource === undefined) return undefined;
  const namespace = resource.namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : '';
  return `${groupPath(apiVersion)}${namespace}/${resource.name}`;
}

const groupPath = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

async function resourceOf(
  client: Client,
  apiVersion: string,
  kind: string,
): Promise<ApiResource | undefined> {
  const groups = await client.raw<{ groups: { versions: { groupVersion: string }[] }[] }>({
    method: 'GET',
    path: '/apis',
  });
  const versions = groups.groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion));
  if (apiVersion !== 'v1' && !versions.includes(apiVersion)) return undefined;
  const { resources } = await client.raw<{ resources: ApiResource[] }>({
    method: 'GET',
    path: groupPath(apiVersion),
  });
  return resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
}
