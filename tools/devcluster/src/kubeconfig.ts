import { stringify } from 'yaml';

const NAME = 'devcluster';

/** A kubeconfig with one cluster, one user and one context. */
export function kubeconfigText(server: string, caCert: string, token: string): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: NAME,
        cluster: { server, 'certificate-authority-data': Buffer.from(caCert).toString('base64') },
      },
    ],
    users: [{ name: NAME, user: { token } }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME, namespace: 'default' } }],
    'current-context': NAME,
  });
}
