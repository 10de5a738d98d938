import {
  filterList,
  listsEqual,
  listToJson,
  Quantity,
  type ResourceList,
  resourceList,
  scopeRequirements,
  sumOfLists,
} from '@interlock/api/quantities';
import { objectAt, valueAt, type KubeObject } from '../../object.js';
import type { Evaluator } from '../../quota/evaluator.js';
import { jsonEqual } from '../../schema/json.js';
import type { JsonObject } from '../../schema/types.js';

/** The objects of one resource in the namespace of a quota. */
export interface Counted {
  evaluator: Evaluator;
  /** Returns the objects. Called only when the quota counts the resource. */
  objects: () => readonly KubeObject[];
}

/** Resources that a quota can count but this server does not serve, so their number is zero. */
const unserved = ['persistentvolumeclaims', 'replicationcontrollers'].flatMap((name) => [
  name,
  `count/${name}`,
]);
const storageClass = /\.storageclass\.storage\.k8s\.io\/(persistentvolumeclaims|requests\.storage)$/;

/**
 * Returns the status that a quota should have: the limits of its spec, and the usage of each in the namespace;
 * undefined when it has that status. The usage of names that no evaluator counts does not change. Source: Kubernetes
 * pkg/controller/resourcequota, syncResourceQuota.
 */
export function decideQuotaStatus(
  quota: KubeObject,
  contents: readonly Counted[],
  now: Date,
): JsonObject | undefined {
  const hard = resourceList(valueAt(quota, 'spec', 'hard'));
  const before = resourceList(valueAt(quota, 'status', 'used'));
  const counted = contents.map((content) => usageOf(quota, hard, content, now));
  const used = filterList(
    new Map([...before, ...noneOfUnserved(hard), ...counted.flatMap((usage) => [...usage])]),
    (name) => hard.has(name),
  );
  const isCurrent =
    listsEqual(resourceList(valueAt(quota, 'status', 'hard')), hard) &&
    listsEqual(before, used) &&
    hasStatus(quota, hard);
  return isCurrent ? undefined : statusOf(quota, hard, used);
}

/** Returns whether the status of a quota contains its usage. A quota without limits needs none. */
function hasStatus(quota: KubeObject, hard: ResourceList): boolean {
  return hard.size === 0 || valueAt(quota, 'status', 'used') !== undefined;
}

function statusOf(quota: KubeObject, hard: ResourceList, used: ResourceList): JsonObject | undefined {
  const status: JsonObject = {};
  if (hard.size > 0) status['hard'] = listToJson(hard);
  if (used.size > 0) status['used'] = listToJson(used);
  return jsonEqual(status, objectAt(quota, 'status')) ? undefined : status;
}

function usageOf(
  quota: KubeObject,
  hard: ResourceList,
  { evaluator, objects }: Counted,
  now: Date,
): ResourceList {
  const names = [...hard.keys()].filter(evaluator.counts);
  if (names.length === 0) return new Map();
  const requirements = scopeRequirements(quota);
  const usages = objects()
    .filter((object) => requirements.every((requirement) => evaluator.isInScope(object, requirement)))
    .map((object) => usageOfObject(evaluator, object, now));
  const used = filterList(sumOfLists(usages), (name) => names.includes(name));
  return new Map([...names.map((name) => [name, Quantity.of(0)] as const), ...used]);
}

/** A stored object never changes, and its usage changes over time only while it is being deleted. */
const known = new WeakMap<KubeObject, ResourceList>();

function usageOfObject(evaluator: Evaluator, object: KubeObject, now: Date): ResourceList {
  const usage = known.get(object) ?? evaluator.usage(object, now);
  if (object.metadata.deletionTimestamp === undefined) known.set(object, usage);
  return usage;
}

function noneOfUnserved(hard: ResourceList): ResourceList {
  const isUnserved = (name: string): boolean =>
    unserved.includes(name) || name === 'requests.storage' || storageClass.test(name);
  return new Map([...hard.keys()].filter(isUnserved).map((name) => [name, Quantity.of(0)]));
}
