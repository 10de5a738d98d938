import type { Cluster } from '../../api/cluster.js';
import { updateObject } from '../../api/update.js';
import type { KubeObject } from '../../object.js';
import { controller } from '../identity.js';
import { runController } from '../keyed-controller.js';
import { quietly } from '../quietly.js';
import { checkedStatus } from './decide.js';

const [group, plural] = ['admissionregistration.k8s.io', 'validatingadmissionpolicies'];
const collection = `${plural}.${group}`;

/** Keeps the status of ValidatingAdmissionPolicies up to date. Returns a function that stops the controller. */
export function watchPolicyStatus(cluster: Cluster): () => void {
  return runController(cluster, {
    collection,
    keysOf: ({ entry }) => (entry.collection === collection ? [entry.key] : []),
    sync: async (name) => {
      await sync(cluster, name);
      return undefined;
    },
  });
}

async function sync(cluster: Cluster, name: string): Promise<void> {
  const { registry, store } = cluster;
  const resource = registry.get(group, 'v1', plural);
  const policy = store.get(collection, name)?.object;
  const status = policy && checkedStatus(policy, registry.all());
  if (resource === undefined || policy === undefined || status === undefined) return;
  const { resourceVersion = '' } = policy.metadata;
  /* The status applies only to this version. A policy that changed meanwhile is processed again. */
  const change = (live: KubeObject): KubeObject => ({
    ...live,
    metadata: { ...live.metadata, resourceVersion },
    status,
  });
  const update = { namespace: '', name, subresource: 'status', change };
  const context = { ...controller, manager: 'validatingadmissionpolicy-status' };
  await quietly(() => updateObject(cluster, resource, update, context));
}
