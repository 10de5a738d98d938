import { stringify } from 'yaml';
import type { Credentials } from './credentials.js';

const name = 'envtest';

/** Returns a kubeconfig as YAML, with one context for an administrator with a client certificate. */
export function adminKubeconfig(server: string, { ca, admin }: Credentials): string {
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [
      {
        name,
        user: {
          'client-certificate-data': base64(admin.certificate),
          'client-key-data': base64(admin.key),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  });
}
