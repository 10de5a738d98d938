import type { KubeObject } from '../object.js';
import { fieldAt, recordsAt, stringAt } from '../quantity/fields.js';
import { hasPodLevelResources, podLimits, podRequests } from '../quantity/pod-resources.js';
import { Quantity } from '../quantity/quantity.js';
import { resourceList, type ResourceList } from '../quantity/resource-list.js';
import { podSpecOf } from './pod-spec.js';

const compute = ['cpu', 'memory', 'ephemeral-storage'];
const names = [
  'count/pods',
  'pods',
  ...compute.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
];
/** Resources that containers must state when a quota limits them. */
const stated = ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);
const hugePages = 'hugepages-';

/**
 * Returns whether a quota for this resource counts pods or their use of resources. Source: Kubernetes
 * pkg/quota/v1/evaluator/core, pods.go.
 */
export function countsPods(name: string): boolean {
  return (
    names.includes(name) ||
    name.startsWith(hugePages) ||
    name.startsWith(`requests.${hugePages}`) ||
    (name.startsWith('requests.') && isExtended(name.slice('requests.'.length)))
  );
}

/** Returns whether a resource is an extended one, such as `example.com/gpu`. */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

/**
 * Returns the quota usage of a pod. Every pod counts for `count/pods`; other resources count until the pod has ended.
 */
export function podUsage(pod: KubeObject, now: Date): ResourceList {
  const count: [string, Quantity] = ['count/pods', Quantity.of(1)];
  if (hasEnded(pod, now)) return new Map([count]);
  const spec = podSpecOf(pod);
  const requests = podRequests(spec, { overhead: true });
  return new Map([count, ...computeUsage(requests, podLimits(spec, { overhead: true }))]);
}

/** Returns whether a pod no longer counts: it has ended, or it still exists long after its deletion was due. */
function hasEnded(pod: KubeObject, now: Date): boolean {
  if (['Succeeded', 'Failed'].includes(stringAt(pod, 'status', 'phase'))) return true;
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
    if (name.startsWith(hugePages) || isExtended(name)) result.set(`requests.${name}`, request);
  }
  return result;
}

/**
 * Returns what a pod must state so that these quotas can be counted, such as `must specify cpu for: runner`; undefined
 * if nothing is missing.
 */
export function unstatedUsage(pod: KubeObject, limited: readonly string[]): string | undefined {
  const spec = podSpecOf(pod);
  if (hasPodLevelResources(spec)) return undefined;
  const required = stated.filter((name) => limited.includes(name)).sort();
  const containers = [...recordsAt(spec, 'containers'), ...recordsAt(spec, 'initContainers')];
  const problems = required.flatMap((name) => {
    const without = containers.filter((container) => !containerUsage(container).has(name));
    const list = without.map((container) => stringAt(container, 'name')).sort();
    return list.length === 0 ? [] : [`${name} for: ${list.join(',')}`];
  });
  return problems.length === 0 ? undefined : `must specify ${problems.join('; ')}`;
}

function containerUsage(container: object): ResourceList {
  const listOf = (field: string): ResourceList => resourceList(fieldAt(container, 'resources', field));
  return computeUsage(listOf('requests'), listOf('limits'));
}
