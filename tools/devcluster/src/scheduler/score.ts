import type { NodeInfo, PodInfo } from './snapshot.js';
import { untolerated } from './taints.js';

/**
 * Returns the most suitable node for a pod: the one with the fewest PreferNoSchedule taints that the pod does not
 * tolerate, then with the most cpu and memory left, then the first. Undefined when there is no node.
 */
export function mostSuitable(pod: PodInfo, nodes: readonly NodeInfo[]): NodeInfo | undefined {
  let best: { node: NodeInfo; taints: number; free: number } | undefined;
  for (const node of nodes) {
    const taints = untolerated(node.taints, pod.tolerations, ['PreferNoSchedule']).length;
    const free = shareLeft(pod, node);
    if (best === undefined || taints < best.taints || (taints === best.taints && free > best.free)) {
      best = { node, taints, free };
    }
  }
  return best?.node;
}

/** Returns the share of cpu and memory, in percent, that is left on a node with the pod (NodeResourcesFit, LeastAllocated). */
function shareLeft(pod: PodInfo, { allocatable, scored }: NodeInfo): number {
  const shares = ['cpu', 'memory'].map((name) => {
    const all = allocatable.get(name) ?? 0;
    const used = (pod.scored.get(name) ?? 0) + (scored.get(name) ?? 0);
    return all === 0 || used > all ? 0 : Math.floor(((all - used) * 100) / all);
  });
  return Math.floor(shares.reduce((sum, share) => sum + share, 0) / shares.length);
}
