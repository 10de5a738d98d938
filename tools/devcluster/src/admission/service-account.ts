import { forbidden } from '../api/api-error.js';
import type { AdmissionPlugin, AdmissionRequest, Cluster } from '../api/cluster.js';
import { objectAt, objectsAt, textAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { keyOf } from '../store/entry.js';
import { newPod } from './new-pod.js';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const volumePrefix = 'kube-api-access-';
/* The value of the API server. Its odd seconds distinguish the tokens of pods from requested tokens of an hour. */
const tokenSeconds = 3607;
/** Timeout for the service account of a new namespace. */
const accountTimeoutMs = 2_000;

/**
 * Sets the service account of each new pod and its pull secrets, and adds a volume with a token, the certificate of the
 * API server and the namespace. Refuses pods whose service account does not exist. Source: Kubernetes
 * plugin/pkg/admission/serviceaccount.
 */
export const serviceAccountAdmission: AdmissionPlugin = {
  mutate: async (request, cluster) => {
    const pod = newPod(request);
    if (pod === undefined) return;
    const spec = objectAt(pod, 'spec');
    spec['serviceAccountName'] = textAt(spec, 'serviceAccountName') || 'default';
    spec['serviceAccount'] = spec['serviceAccountName'];
    const account = await accountOf(cluster, request, textAt(spec, 'serviceAccountName'));
    if ((spec['automountServiceAccountToken'] ?? account['automountServiceAccountToken']) !== false) {
      mountToken(spec, cluster.newSuffix());
    }
    const secrets = objectsAt(account, 'imagePullSecrets');
    if (objectsAt(spec, 'imagePullSecrets').length === 0 && secrets.length > 0) {
      spec['imagePullSecrets'] = structuredClone(secrets);
    }
  },
};

/**
 * Returns a service account. Waits for the default account of a new namespace, which is created shortly after the
 * namespace.
 */
async function accountOf(
  cluster: Cluster,
  { namespace, name }: AdmissionRequest,
  account: string,
): Promise<KubeObject> {
  const find = (): KubeObject | undefined =>
    cluster.store.get('serviceaccounts', keyOf(namespace, account))?.object;
  const found = find() ?? (account === 'default' ? await awaited(cluster, find) : undefined);
  if (found !== undefined) return found;
  const why = `error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`;
  throw forbidden({ group: '', kind: 'pods', name }, why);
}

function awaited(cluster: Cluster, find: () => KubeObject | undefined): Promise<KubeObject | undefined> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      unsubscribe();
      resolve(find());
    };
    const timer = setTimeout(end, accountTimeoutMs).unref();
    const unsubscribe = cluster.store.subscribe(({ entry }) => {
      if (entry.collection === 'serviceaccounts' && find() !== undefined) end();
    });
  });
}

/** Mounts the token into every container that does not have another mount at its path. */
function mountToken(spec: JsonObject, suffix: string): void {
  const volumes = objectsAt(spec, 'volumes');
  const known = volumes.map((volume) => textAt(volume, 'name')).find((name) => name.startsWith(volumePrefix));
  const name = known ?? `${volumePrefix}${suffix}`;
  const containers = [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')];
  const without = containers.filter(
    (container) => !objectsAt(container, 'volumeMounts').some((mount) => mount['mountPath'] === mountPath),
  );
  for (const container of without) {
    container['volumeMounts'] = [
      ...objectsAt(container, 'volumeMounts'),
      { name, readOnly: true, mountPath },
    ];
  }
  if (without.length > 0 && known === undefined) spec['volumes'] = [...volumes, tokenVolume(name)];
}

function tokenVolume(name: string): JsonObject {
  const namespace = { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } };
  const sources = [
    { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    { downwardAPI: { items: [namespace] } },
  ];
  return { name, projected: { sources, defaultMode: 0o644 } };
}
