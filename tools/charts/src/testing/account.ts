import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { TestCluster } from './cluster.js';
import { workshopNamespace } from './workshop.js';

/** Returns a kubeconfig, as an object, with a token of a service account. */
export async function kubeconfigOf(
  { client, admin }: TestCluster,
  account: string,
): Promise<TestCluster['admin']> {
  const { status } = await client.raw<{ status: { token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${workshopNamespace}/serviceaccounts/${account}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  const [server] = admin.clusters;
  const user = {
    users: [{ name: account, user: { token: status.token } }],
    contexts: [{ name: account, context: { cluster: server?.name, user: account } }],
    'current-context': account,
  };
  return { ...admin, ...user };
}

/** Writes a kubeconfig with a token of a service account to a file. @returns its path */
export async function writeKubeconfigOf(
  cluster: TestCluster,
  account: string,
  folder: string,
): Promise<string> {
  const path = join(folder, 'kubeconfig');
  writeFileSync(path, stringify(await kubeconfigOf(cluster, account)));
  return path;
}
