import { writeFile } from 'node:fs/promises';
import type { KubeObject } from '@interlock/api';
import { Namespace, type Client } from '@interlock/kube';
import { stringify } from 'yaml';
import type { AdminKubeconfig } from '../cluster/cluster.js';
import { embeddedNamespaces } from '../cluster/embedded.js';
import { chartDefinitions, installDefinitions } from './definitions.js';

/** The namespace in which the apps have their service accounts and leases in an embedded cluster. */
export const systemNamespace = embeddedNamespaces.system;

/** The namespace of the GitOpsResponderConfig and of the Secrets that it names in an embedded cluster. */
export const configNamespace = embeddedNamespaces.config;

const fieldManager = 'stack';

/** Applies the CustomResourceDefinitions of the chart and waits until all are served. */
export async function installCustomResources(client: Client): Promise<void> {
  await installDefinitions(client, await chartDefinitions(), fieldManager);
}

/** Creates a namespace if it does not exist. */
export async function ensureNamespace(client: Client, name: string): Promise<void> {
  await client.apply(Namespace, { metadata: { name } }, { fieldManager });
}

/**
 * Writes a kubeconfig with a token of a service account.
 *
 * @param admin the kubeconfig of the cluster, as an object
 * @param expirationSeconds lifetime of the token; default: a day
 */
export async function writeAppKubeconfig(
  client: Client,
  admin: AdminKubeconfig,
  account: { namespace: string; name: string },
  path: string,
  expirationSeconds = 24 * 3600,
): Promise<void> {
  const { namespace, name } = account;
  const request = await client.raw<KubeObject & { status: { token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds },
    },
  });
  const [cluster] = admin.clusters;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: admin.clusters,
    users: [{ name, user: { token: request.status.token } }],
    contexts: [{ name, context: { cluster: cluster?.name, user: name, namespace } }],
    'current-context': name,
  };
  await writeFile(path, stringify(config), { mode: 0o600 });
}
