import { forbidden } from '../api/api-error.js';
import type { AdmissionPlugin, AdmissionRequest, Cluster } from '../api/cluster.js';
import { objectAt, objectsAt, textAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { keyOf } from '../store/entry.js';
import { newPod } from './new-pod.js';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const volumePrefix = 'kube-api-access-';
/* That of the API server: the odd seconds distinguish the tokens of pods from those that request an hour. */
const tokenSeconds = 3607;
/** How long the account of a new namespace is awaited. */
const accountTimeoutMs = 2_000;

/**
 * Gives each new pod an account, its pull secrets, and a volume with a token, the certificate of the API server and the
 * namespace. Refuses pods of accounts that do not exist. Source: Kubernetes plugin/pkg/admission/serviceaccount.
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

/** The account of a new namespace comes a moment after it. */
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

/** Containers that have something at the path keep it. */
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
