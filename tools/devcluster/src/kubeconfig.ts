import { stringify } from 'yaml';

const contextName = 'devcluster';

/** Returns a kubeconfig with one cluster, one user and one context. */
export function kubeconfigText(server: string, caCert: string, token: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: contextName,
        cluster: { server, 'certificate-authority-data': Buffer.from(caCert).toString('base64') },
      },
    ],
    users: [{ name: contextName, user: { token } }],
    contexts: [
      { name: contextName, context: { cluster: contextName, user: contextName, namespace: 'default' } },
    ],
    'current-context': contextName,
  });
}
