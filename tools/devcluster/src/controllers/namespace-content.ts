import { ApiError } from '../api/api-error.js';
import type { Cluster } from '../api/cluster.js';
import { createObject } from '../api/create.js';
import { decodeObject } from '../api/decode.js';
import type { JsonObject } from '../schema/types.js';
import { CONTROLLER } from './identity.js';

const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/**
 * Gives every namespace its `default` ServiceAccount and the `kube-root-ca.crt` ConfigMap, also when they are deleted.
 * Returns what ends it.
 */
export function watchNamespaceContent(cluster: Cluster, caCert: string): () => void {
  const { store } = cluster;
  const account = (): JsonObject => ({ metadata: { name: 'default' } });
  const rootCa = (): JsonObject => ({
    metadata: { name: 'kube-root-ca.crt', annotations: { 'kubernetes.io/description': DESCRIPTION } },
    data: { 'ca.crt': caCert },
  });
  const fill = (namespace: string): void => {
    ensure(cluster, namespace, 'serviceaccounts', account());
    ensure(cluster, namespace, 'configmaps', rootCa());
  };
  for (const { object } of store.entries('namespaces')) fill(object.metadata.name);
  return store.subscribe(({ type, entry }) => {
    const { collection, namespace, object } = entry;
    if (collection === 'namespaces' && type === 'ADDED') fill(object.metadata.name);
    if (type !== 'DELETED') return;
    if (collection === 'serviceaccounts' && object.metadata.name === 'default') {
      ensure(cluster, namespace, 'serviceaccounts', account());
    }
    if (collection === 'configmaps' && object.metadata.name === 'kube-root-ca.crt') {
      ensure(cluster, namespace, 'configmaps', rootCa());
    }
  });
}

function ensure(cluster: Cluster, namespace: string, plural: string, body: JsonObject): void {
  const resource = cluster.registry.get('', 'v1', plural);
  const going = cluster.store.get('namespaces', namespace)?.object.metadata.deletionTimestamp;
  if (resource === undefined || going !== undefined) return;
  const { object } = decodeObject(body, resource, 'Ignore');
  void createObject(cluster, resource, namespace, object, CONTROLLER).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
}
