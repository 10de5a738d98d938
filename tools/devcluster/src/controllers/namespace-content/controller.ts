import { ApiError } from '../../api/api-error.js';
import type { Cluster } from '../../api/cluster.js';
import { createObject } from '../../api/create.js';
import { decodeObject } from '../../api/decode.js';
import { updateObject } from '../../api/update.js';
import type { KubeObject } from '../../object.js';
import { jsonEqual } from '../../schema/json.js';
import type { JsonObject } from '../../schema/types.js';
import { keyOf } from '../../store/entry.js';
import { controller } from '../identity.js';
import { Worker } from '../worker.js';

const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/**
 * Creates the `default` ServiceAccount and the `kube-root-ca.crt` ConfigMap in every namespace, and restores them after
 * deletions and changes of the certificates. Returns a function that stops the controller.
 */
export function watchNamespaceContent(cluster: Cluster, caCert: string): () => void {
  const { store } = cluster;
  const content: Readonly<Record<string, JsonObject & { metadata: JsonObject }>> = {
    serviceaccounts: { metadata: { name: 'default' } },
    configmaps: {
      metadata: { name: 'kube-root-ca.crt', annotations: { 'kubernetes.io/description': description } },
      data: { 'ca.crt': caCert },
    },
  };
  const worker = new Worker(cluster.clock, async (namespace) => {
    for (const [plural, body] of Object.entries(content)) await ensure(cluster, namespace, plural, body);
  });
  for (const { object } of store.entries('namespaces')) worker.add(object.metadata.name);
  const unsubscribe = store.subscribe(({ type, entry }) => {
    const { collection, namespace, object } = entry;
    if (collection === 'namespaces' && type === 'ADDED') worker.add(object.metadata.name);
    const isOurs = content[collection]?.metadata['name'] === object.metadata.name;
    if (type !== 'ADDED' && isOurs) worker.add(namespace);
  });
  return () => {
    unsubscribe();
    worker.stop();
  };
}

async function ensure(cluster: Cluster, namespace: string, plural: string, body: JsonObject): Promise<void> {
  const { store } = cluster;
  const resource = cluster.registry.get('', 'v1', plural);
  const owner = store.get('namespaces', namespace)?.object;
  if (resource === undefined || owner === undefined) return;
  if (owner.metadata.deletionTimestamp !== undefined) return;
  const { object } = decodeObject(structuredClone(body), resource, 'Ignore');
  const { name } = object.metadata;
  const found = store.get(resource.collection, keyOf(namespace, name))?.object;
  if (found !== undefined) {
    if (object['data'] === undefined || jsonEqual(found['data'], object['data'])) return;
    const change = (live: KubeObject): KubeObject => ({ ...live, data: object['data'] ?? {} });
    await updateObject(cluster, resource, { namespace, name, change }, controller);
    return;
  }
  try {
    await createObject(cluster, resource, namespace, object, controller);
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
  }
}
