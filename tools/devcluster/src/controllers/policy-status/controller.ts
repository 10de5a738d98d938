import type { Cluster } from '../../api/cluster.js';
import { updateObject } from '../../api/update.js';
import { ApiError } from '../../api/api-error.js';
import { CONTROLLER } from '../identity.js';
import { Worker } from '../worker.js';
import { checkedStatus } from './decide.js';

const collection = 'validatingadmissionpolicies.admissionregistration.k8s.io';

/** Keeps the status of ValidatingAdmissionPolicies up to date. Returns what ends it. */
export function watchPolicyStatus(cluster: Cluster): () => void {
  const { store } = cluster;
  const worker = new Worker((name) => sync(cluster, name));
  for (const { key } of store.entries(collection)) worker.add(key);
  const unsubscribe = store.subscribe(({ type, entry }) => {
    if (entry.collection === collection && type !== 'DELETED') worker.add(entry.key);
  });
  return () => {
    unsubscribe();
    worker.stop();
  };
}

async function sync(cluster: Cluster, name: string): Promise<void> {
  const { registry, store } = cluster;
  const resource = registry.get('admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicies');
  const policy = store.get(collection, name)?.object;
  if (resource === undefined || policy === undefined) return;
  const status = checkedStatus(policy, registry.all());
  if (status === undefined) return;
  const { resourceVersion = '' } = policy.metadata;
  try {
    await updateObject(
      cluster,
      resource,
      {
        namespace: '',
        name,
        subresource: 'status',
        change: (live) => ({ ...live, metadata: { ...live.metadata, resourceVersion }, status }),
      },
      { ...CONTROLLER, manager: 'validatingadmissionpolicy-status' },
    );
  } catch (error) {
    /* A change that came between brings the policy here again. */
    if (!(error instanceof ApiError && (error.code === 404 || error.code === 409))) throw error;
  }
}
