import type { GateOverride, GateOverrideStatus } from '@interlock/api';
import { Problem } from '@interlock/base';
import { Failure, problemStatus, type Conclusion, type EventInput } from '@interlock/kube';
import type { OverrideDecision } from './decide.js';
import type { ObservedOverride } from './observed.js';

/**
 * Returns the status of an override, and the event for a new phase. A refused deletion is a condition: users would otherwise see
 * only events, which the API server keeps for an hour. Pure; `now` in milliseconds since the epoch.
 */
export function concludeOverride(
  { override }: ObservedOverride,
  decision: OverrideDecision,
  outcome: Failure | undefined,
  now: number,
): Conclusion<GateOverride> {
  if (decision.type === 'remove') {
    if (!(outcome instanceof Failure) || !outcome.lasts) return {};
    const { reason, message } = outcome.error;
    return { status: problemStatus(override, new Problem(reason, `it cannot be deleted: ${message}`), now) };
  }
  const { status, wakeAt } = decision;
  return {
    status,
    requeueAfterMs: wakeAt === undefined ? undefined : Math.max(0, wakeAt - now),
    happened: hasNewPhase(override, decision) ? [phaseEvent(override, status)] : [],
  };
}

/** Returns whether a decision changes the phase of an override. */
export function hasNewPhase(
  { status }: GateOverride,
  decision: OverrideDecision,
): decision is Extract<OverrideDecision, { type: 'report' }> {
  return decision.type === 'report' && decision.status.phase !== status?.phase;
}

function phaseEvent(
  { spec: { gateRef, effect, reason } }: GateOverride,
  { phase = 'Pending', actor = 'unverified', message }: GateOverrideStatus,
): EventInput {
  const what = `${effect === 'Open' ? 'opening' : 'closing'} Gate ${gateRef.name} by ${actor}: '${reason}'`;
  return {
    type: phase === 'Rejected' ? 'Warning' : 'Normal',
    reason: `Override${phase}`,
    action: 'Override',
    note: message === undefined ? what : `${what}: ${message}`,
  };
}
