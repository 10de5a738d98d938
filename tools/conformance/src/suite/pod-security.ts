import { namespacePath } from './namespaces.js';
import { podAccount } from './account-pods.js';
import type { Scope } from './scope.js';

/** Returns labels of Pod Security: `{ enforce: 'baseline' }` is `pod-security.kubernetes.io/enforce: baseline`. */
export function securityLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
  );
}

/** Creates a namespace with labels of Pod Security, and a ServiceAccount for pods in it. @returns its name and path. */
export async function securedNamespace(
  scope: Scope,
  labels: Readonly<Record<string, string>>,
): Promise<{ name: string; path: string }> {
  /* A level for each mode, as the server may have other defaults than `privileged`. */
  const all = { enforce: 'privileged', audit: 'privileged', warn: 'privileged', ...labels };
  const name = await scope.ownNamespace(securityLabels(all));
  const path = namespacePath(name);
  const { status, text } = await scope.api.post(`${path}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: podAccount },
    automountServiceAccountToken: false,
  });
  if (status !== 201) throw new Error(`the service account of ${name} cannot be created: ${status} ${text}`);
  return { name, path };
}
