import { fieldAt, recordsAt } from './fields.js';
import { hasPodLevelResources } from './pod-resources.js';
import { filterList, resourceList, type ResourceList } from './resource-list.js';

const counted = ['cpu', 'memory'];

/** Returns the quality-of-service class of a pod spec (Kubernetes pkg/apis/core/helper/qos). */
export function qosClass(spec: object): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...recordsAt(spec, 'containers'), ...recordsAt(spec, 'initContainers')];
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

/** Returns the CPU and memory that a container states. A quantity of zero counts as not stated. */
function computeOf(container: object, field: string): ResourceList {
  const amounts = resourceList(fieldAt(container, 'resources', field));
  return filterList(amounts, (name, amount) => counted.includes(name) && !amount.isZero);
}
