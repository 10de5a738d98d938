import type { AdmissionPlugin } from '../api/cluster.js';
import { objectAt, objectsAt } from '../object.js';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/**
 * Adds a taint to a new node, which the node lifecycle controller removes when the node is ready. Source: Kubernetes
 * plugin/pkg/admission/nodetaint.
 */
export const taintNodesByCondition: AdmissionPlugin = {
  mutate: ({ operation, resource, subresource, object }) => {
    if (resource.collection !== 'nodes' || subresource !== undefined) return;
    if (operation !== 'CREATE' || object === undefined) return;
    const taints = objectsAt(object, 'spec', 'taints');
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return;
    object['spec'] = { ...objectAt(object, 'spec'), taints: [...taints, { ...notReady }] };
  },
};
