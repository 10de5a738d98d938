import { conditions, type Condition, type GateBinding, type GateBindingStatus } from '@interlock/api';
import type { Problem } from '@interlock/gating';
import { markReady, markReconciling, markStalled, removeCondition, setCondition } from '@interlock/kube';
import type { ActuatorReport, BindingVerdict } from './actuator.js';

const maxHolds = 256;
const maxMessage = 2048;
/** What the actuators may say beside Ready and Open. */
const special: readonly string[] = [conditions.conflict, conditions.gateSkew, conditions.selfLockout];

export interface ObservedBinding {
  binding: GateBinding;
  /** What is wrong with its spec. */
  problems: readonly Problem[];
  verdict: BindingVerdict;
  report: ActuatorReport;
}

/** Pure. @returns the status of a binding. `now` in milliseconds since the epoch. */
export function bindingStatus(observed: ObservedBinding, now: number): GateBindingStatus {
  const { binding, verdict, report } = observed;
  return {
    observedGeneration: binding.metadata.generation,
    conditions: bindingConditions(observed, now),
    state: verdict.state,
    message: verdict.message.slice(0, maxMessage),
    ...(verdict.next && { next: verdict.next }),
    gates: verdict.gates,
    holds: report.holds.slice(0, maxHolds),
    targetCount: report.targetCount,
    heldCount: report.heldCount,
  };
}

function bindingConditions(observed: ObservedBinding, now: number): Condition[] {
  const { binding, verdict, report } = observed;
  const { generation } = binding.metadata;
  let list = readiness(observed, now);
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

function readiness({ binding, problems, verdict, report }: ObservedBinding, now: number): Condition[] {
  const known = binding.status?.conditions;
  const { generation } = binding.metadata;
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
      ? 'spec.targets: no object in the namespace is meant by it; correct kind, name or selector, or create the object'
      : `spec.commitStatus.key: no ProposedCommit in the namespace asks for ${commitStatus.key}; add the key to proposedCommitStatuses of the PromotionStrategy or of one of its environments`;
  return { reason: 'NoTargets', message };
}
