import type { Cluster } from '../api/cluster.js';
import { withPodCondition } from '../controllers/conditions.js';
import { formatSeconds, objectAt, objectsAt, type KubeObject } from '../object.js';
import { keyOf } from '../store/entry.js';

const topologyLabels = ['topology.kubernetes.io/region', 'topology.kubernetes.io/zone'];

/**
 * Assigns a pod to a node as the binding subresource does: sets the node, the condition and the topology labels in one
 * write without a field manager. Source: Kubernetes pkg/registry/core/pod/storage.
 *
 * @throws RevisionError when the stored pod has changed.
 */
export function bind({ store, now }: Cluster, pod: KubeObject, node: KubeObject): void {
  const { name, namespace, resourceVersion, labels } = pod.metadata;
  const { nominatedNodeName: _nominated, ...status } = objectAt(pod, 'status');
  const place = topologyLabels.flatMap((key) => {
    const value = node.metadata.labels?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  const conditions = withPodCondition(
    objectsAt(status, 'conditions'),
    { type: 'PodScheduled', status: 'True' },
    formatSeconds(now()),
  );
  const bound: KubeObject = {
    ...pod,
    metadata:
      place.length === 0
        ? pod.metadata
        : { ...pod.metadata, labels: { ...labels, ...Object.fromEntries(place) } },
    spec: { ...objectAt(pod, 'spec'), nodeName: node.metadata.name },
    status: { ...status, conditions },
  };
  store.put('pods', keyOf(namespace, name), bound, Number(resourceVersion));
}
