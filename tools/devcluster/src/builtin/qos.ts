import { objectAt, objectsAt } from '../object.js';
import type { JsonObject } from '../schema/types.js';

/** The quality-of-service class of a pod spec (Kubernetes pkg/apis/core/helper/qos). */
export function qosClass(spec: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  const resources = containers.map((container) => ({
    limits: computeOf(objectAt(container, 'resources', 'limits')),
    requests: computeOf(objectAt(container, 'resources', 'requests')),
  }));
  if (resources.every(({ limits, requests }) => limits.size === 0 && requests.size === 0))
    return 'BestEffort';
  const guaranteed = resources.every(
    ({ limits, requests }) =>
      limits.size === 2 && [...limits].every(([name, limit]) => (requests.get(name) ?? limit) === limit),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

/** CPU and memory only: nothing else counts. */
function computeOf(amounts: JsonObject): Map<string, string> {
  const counted = Object.entries(amounts).filter(([name]) => name === 'cpu' || name === 'memory');
  return new Map(counted.map(([name, amount]) => [name, String(amount)]));
}
