import { quantityNumber } from '@interlock/api/quantities';
import { formatSeconds, objectAt, objectsAt, valueAt, type KubeObject } from '../../object.js';
import { jsonEqual } from '../../schema/json.js';
import type { JsonObject } from '../../schema/types.js';
import { withCondition, type NewCondition } from '../conditions.js';
import { limit, rangeOf, withChange, type Memory } from './limits.js';
import { propose, type Proposal, type Sample } from './replicas.js';

/** Interval after which a delayed autoscaler is evaluated again, as in kube-controller-manager. */
export const syncPeriodMs = 15_000;
const defaultTolerance = 0.1;

/** The inputs of a decision about an autoscaler. */
export interface Observed {
  autoscaler: KubeObject;
  /** The scale of the target, or the reason why there is none. */
  scale: { replicas: number; current: number; selector: string } | { problem: string };
  /** The pods of the target that are not being deleted and have not failed. */
  pods: readonly KubeObject[];
  metricOf: Sample['metricOf'];
  memory: Memory;
  now: Date;
}

interface Report {
  type: 'Normal' | 'Warning';
  reason: string;
  note: string;
}

export interface Decision {
  status: JsonObject;
  isChanged: boolean;
  /** The new number of replicas of the target, if it changes, and the reason. */
  rescale?: { to: number; reason: string } | undefined;
  memory: Memory;
  events: Report[];
  recheckMs?: number | undefined;
}

/** Decides about a HorizontalPodAutoscaler. Source: Kubernetes pkg/controller/podautoscaler. */
export function decide(observed: Observed): Decision {
  const { autoscaler, scale, memory, now } = observed;
  if ('problem' in scale) {
    const message = `the HPA controller was unable to get the target's current scale: ${scale.problem}`;
    const conditions = [condition('AbleToScale', 'False', 'FailedGetScale', message)];
    const { status, isChanged } = statusOf(autoscaler, conditions, {}, now);
    const event = { type: 'Warning', reason: 'FailedGetScale', note: scale.problem } as const;
    return { status, isChanged, memory, events: [event] };
  }
  const got = "the HPA controller was able to get the target's current scale";
  const able = condition('AbleToScale', 'True', 'SucceededGetScale', got);
  const { min, max } = rangeOf(autoscaler);
  const { replicas } = scale;
  if (replicas === 0 && min !== 0) {
    const message = 'scaling is disabled since the replica count of the target is zero';
    const disabled = condition('ScalingActive', 'False', 'ScalingDisabled', message);
    return finished(observed, scale, { conditions: [able, disabled], desired: 0, metrics: [] });
  }
  if (replicas > max) {
    const reason = 'Current number of replicas above Spec.MaxReplicas';
    return finished(observed, scale, { conditions: [able], desired: max, reason });
  }
  if (replicas < min) {
    const reason = 'Current number of replicas below Spec.MinReplicas';
    return finished(observed, scale, { conditions: [able], desired: min, reason });
  }
  return byMetrics(observed, scale, able);
}

type Found = Exclude<Observed['scale'], { problem: string }>;

function byMetrics(observed: Observed, scale: Found, able: NewCondition): Decision {
  const { autoscaler, memory, now } = observed;
  if (scale.selector === '') {
    const message = "the HPA target's scale is missing a selector";
    const missing = condition('ScalingActive', 'False', 'InvalidSelector', message);
    return failed(observed, scale, [able, missing], 'SelectorRequired', 'selector is required');
  }
  const proposals = objectsAt(autoscaler, 'spec', 'metrics').map((metric) =>
    propose(metric, sampleOf(observed, scale.replicas)),
  );
  const best = highest(proposals);
  const [first] = proposals.filter((one) => 'problem' in one);
  if (first !== undefined && (best === undefined || best.replicas < scale.replicas)) {
    const why = `the HPA was unable to compute the replica count: ${first.problem}`;
    const inactive = condition('ScalingActive', 'False', first.reason, why);
    const count = proposals.filter((one) => 'problem' in one).length;
    const note = `invalid metrics (${String(count)} invalid out of ${String(proposals.length)}), first error is: ${first.problem}`;
    const decision = failed(observed, scale, [able, inactive], 'FailedComputeMetricsReplicas', note);
    const event = { type: 'Warning', reason: first.reason, note: first.problem } as const;
    return { ...decision, events: [event, ...decision.events] };
  }
  if (best === undefined) return { ...unchanged(autoscaler), memory };
  const limited = limit(best.replicas, memory, {
    autoscaler,
    current: scale.replicas,
    now: now.getTime(),
  });
  const found = `the HPA was able to successfully calculate a replica count from ${best.name}`;
  const active = condition('ScalingActive', 'True', 'ValidMetricFound', found);
  const metrics = proposals.flatMap((one) => ('status' in one ? [one.status] : []));
  const reason = best.replicas > scale.replicas ? `${best.name} above target` : 'All metrics below target';
  const decision = finished({ ...observed, memory: limited.memory }, scale, {
    conditions: [...limited.conditions.slice(0, 1), active, ...limited.conditions.slice(1)],
    desired: limited.replicas,
    metrics,
    reason,
  });
  return { ...decision, recheckMs: limited.isHeld ? syncPeriodMs : undefined };
}

function highest(proposals: readonly Proposal[]): Extract<Proposal, { replicas: number }> | undefined {
  return proposals
    .filter((one) => 'replicas' in one)
    .reduce<Extract<Proposal, { replicas: number }> | undefined>(
      (best, one) => (best === undefined || one.replicas > best.replicas ? one : best),
      undefined,
    );
}

function sampleOf({ autoscaler, pods, metricOf }: Observed, replicas: number): Sample {
  const tolerance = (direction: string): number => {
    const own = valueAt(autoscaler, 'spec', 'behavior', direction, 'tolerance');
    return own === undefined ? defaultTolerance : quantityNumber(own);
  };
  return {
    pods,
    replicas,
    metricOf,
    tolerance: { up: tolerance('scaleUp'), down: tolerance('scaleDown') },
  };
}

interface Outcome {
  conditions: NewCondition[];
  desired: number;
  /** The current metrics; if undefined, the status keeps its metrics. */
  metrics?: JsonObject[];
  reason?: string;
}

/** Returns the decision for a number of replicas; if the number changes, with a condition and an event. */
function finished(observed: Observed, scale: Found, outcome: Outcome): Decision {
  const { autoscaler, memory, now } = observed;
  const { desired, conditions, metrics, reason = '' } = outcome;
  const isRescaled = desired !== scale.replicas;
  const done = `the HPA controller was able to update the target scale to ${String(desired)}`;
  const all = isRescaled
    ? [...conditions, condition('AbleToScale', 'True', 'SucceededRescale', done)]
    : conditions;
  const fields: JsonObject = {
    ...(isRescaled && { lastScaleTime: formatSeconds(now) }),
    currentReplicas: scale.current,
    desiredReplicas: desired,
    ...(metrics !== undefined && { currentMetrics: metrics.length === 0 ? null : metrics }),
  };
  const note = `New size: ${String(desired)}; reason: ${reason}`;
  return {
    ...statusOf(autoscaler, all, fields, now),
    rescale: isRescaled ? { to: desired, reason } : undefined,
    memory: isRescaled ? withChange(memory, desired - scale.replicas, now.getTime()) : memory,
    events: isRescaled ? [{ type: 'Normal', reason: 'SuccessfulRescale', note }] : [],
  };
}

/** Returns the decision for a target that could not be scaled: only the condition and the event of the failure. */
export function rescaleFailed(
  { autoscaler, memory, now }: Observed,
  { to, reason }: { to: number; reason: string },
  problem: string,
): Decision {
  const message = `the HPA controller was unable to update the target scale: ${problem}`;
  const conditions = [condition('AbleToScale', 'False', 'FailedUpdateScale', message)];
  const note = `New size: ${String(to)}; reason: ${reason}; error: ${problem}`;
  const events: Report[] = [{ type: 'Warning', reason: 'FailedRescale', note }];
  return { ...statusOf(autoscaler, conditions, {}, now), memory, events, recheckMs: syncPeriodMs };
}

/** Returns the decision when no number of replicas can be computed; the status keeps its desired number. */
function failed(
  { autoscaler, memory, now }: Observed,
  scale: Found,
  conditions: NewCondition[],
  reason: string,
  note: string,
): Decision {
  const fields = { currentReplicas: scale.current, currentMetrics: null };
  return {
    ...statusOf(autoscaler, conditions, fields, now),
    memory,
    events: [{ type: 'Warning', reason, note }],
  };
}

function unchanged(autoscaler: KubeObject): { status: JsonObject; isChanged: boolean; events: Report[] } {
  return { status: objectAt(autoscaler, 'status'), isChanged: false, events: [] };
}

function statusOf(
  autoscaler: KubeObject,
  conditions: readonly NewCondition[],
  fields: JsonObject,
  now: Date,
): { status: JsonObject; isChanged: boolean } {
  const old = objectAt(autoscaler, 'status');
  const set = conditions.reduce(
    (present, one) => withCondition(present, one, formatSeconds(now)),
    objectsAt(old, 'conditions'),
  );
  const status = { ...old, ...fields, conditions: set };
  return { status, isChanged: !jsonEqual(status, old) };
}

function condition(
  type: string,
  status: NewCondition['status'],
  reason: string,
  message: string,
): NewCondition {
  return { type, status, reason, message };
}
