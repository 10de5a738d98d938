import { conditions, type Condition, type Gate } from '@interlock/api';
import type { GateDecision } from '@interlock/gating';
import { markReady, markReconciling, markStalled, setCondition } from '@interlock/kube';
import { kindOfCause } from './cause.js';

/** Returns the conditions of a gate: Ready if everything that it depends on can be evaluated, and Open. */
export function gateConditions(
  { metadata, status }: Gate,
  decision: GateDecision,
  skew: string | undefined,
  now: number,
): Condition[] {
  const { generation } = metadata;
  const open = {
    type: conditions.open,
    status: decision.state === 'Open' ? ('True' as const) : ('False' as const),
    reason: kindOfCause(decision.cause),
    message: decision.message,
  };
  return setCondition(readiness(status?.conditions, decision, skew, generation, now), open, generation, now);
}

function readiness(
  known: readonly Condition[] | undefined,
  { problems, contributions }: GateDecision,
  skew: string | undefined,
  generation: number | undefined,
  now: number,
): Condition[] {
  if (problems.length > 0) {
    const message = problems
      .map(({ object, field, message: what }) => `${object}: ${field}: ${what}`)
      .join('; ');
    return markStalled(known, { reason: 'Invalid', message }, generation, now);
  }
  if (skew !== undefined)
    return markReconciling(known, { reason: 'ClockSkew', message: skew }, generation, now);
  const unknown = contributions.filter(({ effect }) => effect === 'Unknown');
  if (unknown.length > 0) {
    const message = unknown.map(({ source, message: what }) => `${source}: ${what}`).join('; ');
    return markReconciling(known, { reason: 'KeeperUnknown', message }, generation, now);
  }
  const message = 'everything that the state of the gate depends on has been evaluated';
  return markReady(known, { reason: 'Evaluated', message }, generation, now);
}
