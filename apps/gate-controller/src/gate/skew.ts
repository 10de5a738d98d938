import type { GateDecision } from '@interlock/gating';
import type { GateSituation } from './observed.js';

/** With a clock that differs more from the API server's, nobody knows what time it is; milliseconds. */
export const maxSkewMs = 30_000;

/** Returns whether a clock is too far from the API server's. */
export function isSkewed(skewMs: number | undefined): skewMs is number {
  return skewMs !== undefined && Math.abs(skewMs) > maxSkewMs;
}

/**
 * A clock that is wrong would open a gate too early. While it is, no gate opens, and one that is open stays so only as
 * long as was promised before.
 * @returns the decision that follows, and what is wrong with the clock.
 */
export function heldBack(
  decision: GateDecision,
  { gate: { status }, skewMs }: GateSituation,
  now: number,
): { decision: GateDecision; skew?: string } {
  if (!isSkewed(skewMs)) return { decision };
  const skew = `the clock of the gate controller is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'ahead of' : 'behind'} the API server's; set it right, no gate opens before`;
  if (decision.state === 'Closed') return { decision, skew };
  const promised = Date.parse(status?.validUntil ?? '');
  if (status?.state === 'Open' && promised > now) {
    return { decision: { ...decision, validUntil: Math.min(promised, decision.validUntil) }, skew };
  }
  const { next: _next, ...rest } = decision;
  const since = status?.state === 'Closed' ? Date.parse(status.since ?? '') || now : now;
  return { decision: { ...rest, state: 'Closed', cause: 'ClockSkew', message: skew, since }, skew };
}
