import { isFinished } from '../controllers/pod-state.js';
import { isExtendedResource, isNativeResource } from '../builtin/resource-names.js';
import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../object.js';
import { hasPodLevelResources, podLimits, podRequests } from '../quantity/pod-resources.js';
import { Quantity } from '../quantity/quantity.js';
import { resourceList, type ResourceList } from '../quantity/resource-list.js';
import type { JsonObject } from '../schema/types.js';
import type { Evaluator } from './evaluator.js';
import { isPodInScope } from './scopes.js';

const compute = ['cpu', 'memory', 'ephemeral-storage'];
const names = [
  'count/pods',
  'pods',
  ...compute.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
];
/** What containers must state where a quota limits it. */
const stated = ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);
const hugePages = 'hugepages-';

/**
 * How pods count: `count/pods` all of them, the rest those that have not ended.
 * Source: Kubernetes pkg/quota/v1/evaluator/core, pods.go.
 */
export const podEvaluator: Evaluator = {
  operations: ['CREATE'],
  counts: (name) =>
    names.includes(name) ||
    name.startsWith(hugePages) ||
    name.startsWith(`requests.${hugePages}`) ||
    (name.startsWith('requests.') && !isNativeResource(name)),
  usage,
  isInScope: isPodInScope,
  missing,
};

function usage(pod: KubeObject, now: Date): ResourceList {
  const count: [string, Quantity] = ['count/pods', Quantity.of(1)];
  if (hasEnded(pod, now)) return new Map([count]);
  const spec = objectAt(pod, 'spec');
  const requests = podRequests(spec, { overhead: true });
  return new Map([count, ...computeUsage(requests, podLimits(spec, { overhead: true }))]);
}

/** A pod does not count once it has ended, or when it is still there long after it should be gone. */
function hasEnded(pod: KubeObject, now: Date): boolean {
  if (isFinished(pod)) return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return now.getTime() > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function computeUsage(requests: ResourceList, limits: ResourceList): ResourceList {
  const result = new Map([['pods', Quantity.of(1)]]);
  for (const name of compute) {
    const [request, limit] = [requests.get(name), limits.get(name)];
    if (request !== undefined) result.set(name, request).set(`requests.${name}`, request);
    if (limit !== undefined) result.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (name.startsWith(hugePages)) result.set(name, request);
    if (name.startsWith(hugePages) || isExtendedResource(name)) result.set(`requests.${name}`, request);
  }
  return result;
}

function missing(pod: KubeObject, limited: readonly string[]): string | undefined {
  const spec = objectAt(pod, 'spec');
  if (hasPodLevelResources(spec)) return undefined;
  const required = stated.filter((name) => limited.includes(name)).sort();
  const containers = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  const problems = required.flatMap((name) => {
    const without = containers.filter((container) => !containerUsage(container).has(name));
    const list = without.map((container) => textAt(container, 'name')).sort();
    return list.length === 0 ? [] : [`${name} for: ${list.join(',')}`];
  });
  return problems.length === 0 ? undefined : `must specify ${problems.join('; ')}`;
}

function containerUsage(container: JsonObject): ResourceList {
  const listOf = (field: string): ResourceList => resourceList(valueAt(container, 'resources', field));
  return computeUsage(listOf('requests'), listOf('limits'));
}
