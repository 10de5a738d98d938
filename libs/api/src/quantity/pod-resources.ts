import { fieldAt, keysAt, recordsAt } from './fields.js';
import {
  addLists,
  filterList,
  maxOfLists,
  resourceList,
  sumOfLists,
  type ResourceList,
} from './resource-list.js';

const none: ResourceList = new Map();
const podLevelResources = ['cpu', 'memory'];

/**
 * Returns the resources that a pod requests: the sum over containers and sidecars, or the need of an init container if
 * that is larger.
 * Source: k8s.io/component-helpers/resource, PodRequests.
 */
export function podRequests(spec: object, { overhead }: { overhead: boolean }): ResourceList {
  const requests = aggregate(spec, 'requests');
  return overhead ? addLists(requests, resourceList(fieldAt(spec, 'overhead'))) : requests;
}

/** Returns the limits of a pod. Overhead is added only to resources that are limited. */
export function podLimits(spec: object, { overhead }: { overhead: boolean }): ResourceList {
  const limits = aggregate(spec, 'limits');
  if (!overhead) return limits;
  const isLimited = (name: string): boolean => limits.get(name)?.isZero === false;
  return addLists(limits, filterList(resourceList(fieldAt(spec, 'overhead')), isLimited));
}

/** Returns whether a pod states resources for all of its containers together. */
export function hasPodLevelResources(spec: object): boolean {
  return ['requests', 'limits']
    .flatMap((field) => keysAt(spec, 'resources', field))
    .some((name) => podLevelResources.includes(name));
}

function aggregate(spec: object, field: 'requests' | 'limits'): ResourceList {
  const listOf = (container: object): ResourceList => resourceList(fieldAt(container, 'resources', field));
  let total = sumOfLists(recordsAt(spec, 'containers').map(listOf));
  let sidecars = none;
  let atStart = none;
  for (const container of recordsAt(spec, 'initContainers')) {
    const own = listOf(container);
    if (container['restartPolicy'] === 'Always') {
      total = addLists(total, own);
      sidecars = addLists(sidecars, own);
      atStart = maxOfLists(atStart, sidecars);
    } else {
      atStart = maxOfLists(atStart, addLists(own, sidecars));
    }
  }
  const forPod = filterList(resourceList(fieldAt(spec, 'resources', field)), (name) =>
    podLevelResources.includes(name),
  );
  return new Map([...maxOfLists(total, atStart), ...forPod]);
}
