import { objectsAt, valueAt } from '../../object.js';
import { hasPodLevelResources } from '../../quantity/pod-resources.js';
import { filterList, resourceList, type ResourceList } from '../../quantity/resource-list.js';
import type { JsonObject } from '../../schema/types.js';

const counted = ['cpu', 'memory'];

/** Returns the quality-of-service class of a pod spec (Kubernetes pkg/apis/core/helper/qos). */
export function qosClass(spec: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  const resources = (hasPodLevelResources(spec) ? [spec] : containers).map((one) => ({
    limits: computeOf(one, 'limits'),
    requests: computeOf(one, 'requests'),
  }));
  if (resources.every(({ limits, requests }) => limits.size === 0 && requests.size === 0))
    return 'BestEffort';
  const isGuaranteed = resources.every(
    ({ limits, requests }) =>
      limits.size === counted.length &&
      [...limits].every(([name, limit]) => (requests.get(name) ?? limit).compareTo(limit) === 0n),
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

/** CPU and memory only: nothing else counts, and none is as good as not stated. */
function computeOf(container: JsonObject, field: string): ResourceList {
  const amounts = resourceList(valueAt(container, 'resources', field));
  return filterList(amounts, (name, amount) => counted.includes(name) && !amount.isZero);
}
