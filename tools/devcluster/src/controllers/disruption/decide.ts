import {
  formatSeconds,
  objectAt,
  objectsAt,
  valueAt,
  type KubeObject,
  type OwnerReference,
} from '../../object.js';
import { isObject, jsonEqual } from '../../schema/json.js';
import type { Json, JsonObject } from '../../schema/types.js';
import { labelSelectorRequirements, matchesLabels } from '../../selectors/labels.js';
import { withCondition } from '../conditions.js';
import { controllerOf } from '../ownership.js';
import { isReady } from '../pod-state.js';

/** Time after which an evicted pod that still exists counts again. */
const deletionTimeoutMs = 120_000;

/** The desired number of pods of a controller, or the problem that prevents reading it. */
export type Scale = { uid: string; replicas: number } | { problem: string } | undefined;

/** The inputs of the status of a budget. */
export interface Observed {
  budget: KubeObject;
  /** The pods that the budget selects. */
  pods: readonly KubeObject[];
  /** Returns the scale of a controller; undefined when the controller does not exist. */
  scaleOf: (controller: OwnerReference) => Scale;
  now: Date;
}

interface Decision {
  status: JsonObject;
  isChanged: boolean;
  /** The reason why the budget could not be computed. */
  problem?: string;
  /** When the status has to be computed again without a change of an object. */
  recheckMs?: number | undefined;
}

/** Returns a predicate for the labels of pods that a budget selects. A budget without a selector selects none. */
export function podTest(budget: KubeObject): (labels?: Readonly<Record<string, string>>) => boolean {
  const selector = valueAt(budget, 'spec', 'selector');
  if (!isObject(selector)) return () => false;
  const requirements = labelSelectorRequirements(selector);
  return (labels = {}) => matchesLabels(requirements, labels);
}

/** Computes the status of a PodDisruptionBudget. Source: Kubernetes pkg/controller/disruption. */
export function decide({ budget, pods, scaleOf, now }: Observed): Decision {
  const old = objectAt(budget, 'status');
  const counts = expectedCounts(budget, pods, scaleOf);
  if ('problem' in counts) {
    const conditions = allowedCondition(budget, 'SyncFailed', counts.problem, now);
    const status: JsonObject = { ...old, disruptionsAllowed: 0, conditions };
    return { status, isChanged: !jsonEqual(status, old), problem: counts.problem };
  }
  const { disrupted, recheckMs } = stillDisrupted(objectAt(old, 'disruptedPods'), pods, now);
  const currentHealthy = pods.filter(
    (pod) =>
      pod.metadata.deletionTimestamp === undefined &&
      !Object.hasOwn(disrupted, pod.metadata.name) &&
      isReady(pod),
  ).length;
  const spare = counts.expectedPods > 0 ? Math.max(0, currentHealthy - counts.desiredHealthy) : 0;
  const status: JsonObject = {
    observedGeneration: budget.metadata.generation ?? 0,
    ...(Object.keys(disrupted).length > 0 && { disruptedPods: disrupted }),
    disruptionsAllowed: spare,
    currentHealthy,
    desiredHealthy: counts.desiredHealthy,
    expectedPods: counts.expectedPods,
    conditions: allowedCondition(budget, spare > 0 ? 'SufficientPods' : 'InsufficientPods', '', now),
  };
  return { status, isChanged: !jsonEqual(status, old), recheckMs };
}

/** Returns the conditions of a budget with `DisruptionAllowed` set. */
export function allowedCondition(
  budget: KubeObject,
  reason: 'SufficientPods' | 'InsufficientPods' | 'SyncFailed',
  message: string,
  now: Date,
): JsonObject[] {
  const condition = {
    type: 'DisruptionAllowed',
    status: reason === 'SufficientPods' ? 'True' : 'False',
    reason,
    message,
    observedGeneration: budget.metadata.generation ?? 0,
  } as const;
  return withCondition(objectsAt(budget, 'status', 'conditions'), condition, formatSeconds(now));
}

type Counts = { expectedPods: number; desiredHealthy: number } | { problem: string };

function expectedCounts(
  budget: KubeObject,
  pods: readonly KubeObject[],
  scaleOf: Observed['scaleOf'],
): Counts {
  const { minAvailable, maxUnavailable } = objectAt(budget, 'spec');
  if (maxUnavailable === undefined && typeof minAvailable === 'number') {
    return { expectedPods: pods.length, desiredHealthy: minAvailable };
  }
  if (maxUnavailable === undefined && minAvailable === undefined) {
    return { expectedPods: 0, desiredHealthy: 0 };
  }
  const scale = expectedScale(pods, scaleOf);
  if (typeof scale !== 'number') return scale;
  const desired =
    maxUnavailable === undefined
      ? resolved(minAvailable, scale)
      : Math.max(0, scale - resolved(maxUnavailable, scale));
  return { expectedPods: scale, desiredHealthy: desired };
}

/** Returns a count, or a percentage of a total, rounded up. */
function resolved(value: Json | undefined, total: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseInt(String(value), 10) * total) / 100);
}

/** Adds up the scales of the controllers of the pods; pods without a controller do not count. */
function expectedScale(
  pods: readonly KubeObject[],
  scaleOf: Observed['scaleOf'],
): number | { problem: string } {
  const asked = new Set<string>();
  const scales = new Map<string, number>();
  for (const { metadata } of pods) {
    const owner = controllerOf({ metadata });
    if (owner === undefined || asked.has(owner.uid)) continue;
    asked.add(owner.uid);
    const scale = scaleOf(owner);
    if (scale === undefined) return { problem: `found no controllers for pod "${metadata.name}"` };
    if ('problem' in scale) return scale;
    scales.set(scale.uid, scale.replicas);
  }
  return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
}

/** Returns the evicted pods that still exist, and the time when the first of them counts again. */
function stillDisrupted(
  disruptedPods: JsonObject,
  pods: readonly KubeObject[],
  now: Date,
): { disrupted: JsonObject; recheckMs: number | undefined } {
  const disrupted: JsonObject = {};
  let recheckMs: number | undefined;
  for (const { metadata } of pods) {
    const since = disruptedPods[metadata.name];
    if (metadata.deletionTimestamp !== undefined || typeof since !== 'string') continue;
    const restMs = Date.parse(since) + deletionTimeoutMs - now.getTime();
    if (restMs < 0) continue;
    disrupted[metadata.name] = since;
    recheckMs = Math.min(recheckMs ?? Infinity, restMs + 1);
  }
  return { disrupted, recheckMs };
}
