import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { objectsAt, textAt } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import type { PodFolder } from './pod-folder.js';

const accountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Writes a kubeconfig with the token of the pod's account, for a container that has no mounts of its own: clients read
 * it instead of the files in `/var/run/secrets`. Returns its path; undefined when the container has no token.
 */
export function writeKubeconfig(
  folder: PodFolder,
  container: JsonObject,
  { host, port }: { host: string; port: number },
): string | undefined {
  const mount = objectsAt(container, 'volumeMounts').find(({ mountPath }) => mountPath === accountPath);
  if (mount === undefined) return undefined;
  const files = join(folder.volumes, textAt(mount, 'name'));
  const path = folder.kubeconfig(textAt(container, 'name'));
  const name = 'cluster';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: { server: `https://${host}:${port}`, 'certificate-authority': join(files, 'ca.crt') },
      },
    ],
    users: [{ name, user: { tokenFile: join(files, 'token') } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}
