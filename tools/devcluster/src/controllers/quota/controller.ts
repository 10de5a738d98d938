import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Cluster } from '../../api/cluster.js';
import { updateObject } from '../../api/update.js';
import { resourceQuota } from '../../builtin/resource-quota/kind.js';
import type { KubeObject } from '../../object.js';
import { evaluatorOf } from '../../quota/evaluators.js';
import type { JsonObject } from '../../schema/types.js';
import type { StoreEvent } from '../../store/entry.js';
import { controller } from '../identity.js';
import { quietly } from '../quietly.js';
import { Worker } from '../worker.js';
import { decideQuotaStatus, type Counted } from './decide.js';

const { collection } = resourceQuota;
/** Kinds whose changes can change the usage. Of all other kinds, only the number of objects counts. */
const changing = ['pods', 'services', collection];

/** Updates the status of quotas with the usage of their namespaces. Returns a function that stops the controller. */
export function watchQuotas(cluster: Cluster): () => void {
  const { store, registry } = cluster;
  const worker = new Worker(cluster.clock, (key) => sync(cluster, key));
  const enqueue = (namespace: string): void => {
    for (const { key } of store.entries(collection, namespace)) worker.add(key);
  };
  enqueue('');
  const stopEvents = store.subscribe((event) => {
    if (isRelevant(event)) enqueue(event.entry.namespace);
  });
  const stopKinds = registry.onChange(() => {
    enqueue('');
  });
  return () => {
    stopEvents();
    stopKinds();
    worker.stop();
  };
}

function isRelevant({ type, entry }: StoreEvent): boolean {
  if (entry.namespace === '') return false;
  return type !== 'MODIFIED' || changing.includes(entry.collection);
}

async function sync(cluster: Cluster, key: string): Promise<void> {
  const quota = cluster.store.get(collection, key)?.object;
  if (quota === undefined || statusOf(cluster, quota) === undefined) return;
  const { name, namespace = '' } = quota.metadata;
  const change = async (live: KubeObject): Promise<KubeObject> => {
    /* What was charged to the quota as it was read is stored after this turn of the event loop; see admission/quota.ts. */
    await nextTurn();
    const status = statusOf(cluster, live);
    return status === undefined ? live : { ...live, status };
  };
  const update = { namespace, name, subresource: 'status', change };
  await quietly(() => updateObject(cluster, resourceQuota, update, controller));
}

function statusOf({ store, registry, now }: Cluster, quota: KubeObject): JsonObject | undefined {
  const { namespace } = quota.metadata;
  const contents = registry
    .collections()
    .filter(({ namespaced }) => namespaced)
    .flatMap((resource): Counted[] => {
      const evaluator = evaluatorOf(resource);
      const objects = (): KubeObject[] =>
        store.entries(resource.collection, namespace).map(({ object }) => object);
      return evaluator === undefined ? [] : [{ evaluator, objects }];
    });
  return decideQuotaStatus(quota, contents, now());
}
