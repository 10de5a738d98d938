import { conditions, type Condition, type GateBinding, type GateBindingStatus } from '@interlock/api';
import { prefixOf } from '@interlock/base';
import { problemsOf } from '@interlock/gating';
import {
  Failure,
  markFailed,
  markReady,
  markReconciling,
  markStalled,
  removeCondition,
  setCondition,
  type Conclusion,
} from '@interlock/kube';
import type { BindingOutcome } from './act.js';
import type { ActuatorReport } from './actuator.js';
import type { BindingDecision } from './decide.js';
import type { ObservedBinding } from './observed.js';

const maxHolds = 256;
const maxMessage = 2048;
/** Conditions that actuators report in addition to Ready and Open. */
const special: readonly string[] = [conditions.conflict, conditions.gateSkew, conditions.selfLockout];
/**
 * How often a binding is reconciled without an event, because a gate whose state is not renewed closes without one; in
 * milliseconds.
 */
const resyncMs = 60_000;
/** Delay until a gate that is about to change is read again; in milliseconds. */
const settleMs = 250;

/**
 * Returns the status of a binding after its actuator has acted or failed. Pure; `now` in milliseconds since the epoch.
 */
export function concludeBinding(
  observed: ObservedBinding,
  { type }: BindingDecision,
  outcome: BindingOutcome | Failure,
  now: number,
): Conclusion<GateBinding> {
  if (outcome instanceof Failure) {
    /* After a start, a release waits until gates are evaluated and objects are read. */
    const isShown = type !== 'release' || outcome.lasts;
    return isShown ? { status: failedStatus(observed.binding, outcome, now) } : {};
  }
  const { isReleased: releases, report } = outcome;
  if (type === 'wait') return { releases, requeueAfterMs: settleMs };
  if (report === undefined) return { releases };
  return {
    status: bindingStatus(observed, report, now),
    releases,
    requeueAfterMs: Math.min(resyncMs, report.requeueAfterMs ?? resyncMs),
  };
}

/** Returns the status after a failure. Everything except the conditions keeps its last reported value. */
function failedStatus({ metadata, status }: GateBinding, { error }: Failure, now: number): GateBindingStatus {
  const { generation } = metadata;
  return {
    ...status,
    observedGeneration: generation,
    conditions: markFailed(status?.conditions, error, generation, now),
  };
}

function bindingStatus(observed: ObservedBinding, report: ActuatorReport, now: number): GateBindingStatus {
  const { binding, verdict } = observed;
  return {
    observedGeneration: binding.metadata.generation,
    conditions: bindingConditions(observed, report, now),
    state: verdict.state,
    message: prefixOf(verdict.message, maxMessage),
    ...(verdict.next && { next: verdict.next }),
    gates: verdict.gates,
    holds: report.holds.slice(0, maxHolds),
    targetCount: report.targetCount,
    heldCount: report.heldCount,
  };
}

function bindingConditions(observed: ObservedBinding, report: ActuatorReport, now: number): Condition[] {
  const { binding, verdict } = observed;
  const { generation } = binding.metadata;
  let list = readiness(observed, report, now);
  for (const type of special) list = removeCondition(list, type);
  for (const condition of report.conditions ?? []) {
    const before = binding.status?.conditions?.filter(({ type }) => type === condition.type) ?? [];
    list = setCondition([...list, ...before], condition, generation, now);
  }
  const open = {
    type: conditions.open,
    status: verdict.state === 'Open' ? ('True' as const) : ('False' as const),
    reason: verdict.state === 'Open' ? 'GatesOpen' : 'GatesClosed',
    message: verdict.message,
  };
  return setCondition(list, open, generation, now);
}

function readiness({ binding, verdict }: ObservedBinding, report: ActuatorReport, now: number): Condition[] {
  const known = binding.status?.conditions;
  const { generation } = binding.metadata;
  const problems = problemsOf(binding);
  if (problems.length > 0) {
    const message = problems.map(({ field, message: what }) => `${field}: ${what}`).join('; ');
    return markStalled(known, { reason: 'Invalid', message }, generation, now);
  }
  const unknown = verdict.gates.findIndex(({ state }) => state === 'Unknown');
  if (unknown >= 0) {
    const message = `spec.refs[${unknown}]: ${verdict.gates[unknown]?.message ?? ''}`;
    return markReconciling(known, { reason: 'GateUnknown', message }, generation, now);
  }
  if (report.problem !== undefined) return markReconciling(known, report.problem, generation, now);
  const notice = report.notice === undefined ? '' : `; ${report.notice}`;
  if (report.targetCount === 0) {
    const { reason, message } = noTargets(binding);
    return markReconciling(known, { reason, message: message + notice }, generation, now);
  }
  const message = `${report.heldCount} of ${report.targetCount} held${notice}`;
  return markReady(known, { reason: 'Reconciled', message }, generation, now);
}

function noTargets({ spec }: GateBinding): { reason: string; message: string } {
  const { commitStatus } = spec;
  const message =
    commitStatus === undefined
      ? 'spec.targets: no object in the namespace matches; correct the kind, name or selector, or create the object'
      : `spec.commitStatus.key: no ProposedCommit in the namespace requires ${commitStatus.key}; add the key to proposedCommitStatuses of the PromotionStrategy or of one of its environments`;
  return { reason: 'NoTargets', message };
}
