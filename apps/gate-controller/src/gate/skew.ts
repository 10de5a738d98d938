import type { GateDecision } from '@interlock/gating';
import type { GateSituation } from './observed.js';

/**
 * If the clock differs from the API server's by more than this, the current time is not known reliably; in milliseconds.
 */
const maxSkewMs = 30_000;

/** Returns whether a clock is too far from the API server's. */
export function isSkewed(skewMs: number | undefined): skewMs is number {
  return skewMs !== undefined && Math.abs(skewMs) > maxSkewMs;
}

/**
 * Returns the decision with a wrong clock taken into account, and the problem with the clock. A wrong clock would open
 * a gate too early. While it is wrong, no gate opens, and an open gate stays open only as long as was announced before.
 */
export function heldBack(
  decision: GateDecision,
  { gate: { status }, skewMs }: GateSituation,
  now: number,
): { decision: GateDecision; skew?: string } {
  if (!isSkewed(skewMs)) return { decision };
  const skew = `the clock of the gate-controller is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'ahead of' : 'behind'} the clock of the API server; correct it: no gate opens until then`;
  if (decision.state === 'Closed') return { decision, skew };
  const promised = Date.parse(status?.validUntil ?? '');
  if (status?.state === 'Open' && promised > now) {
    return { decision: { ...decision, validUntil: Math.min(promised, decision.validUntil) }, skew };
  }
  const { next: _next, ...rest } = decision;
  const since = status?.state === 'Closed' ? Date.parse(status.since ?? '') || now : now;
  return { decision: { ...rest, state: 'Closed', cause: 'ClockSkew', message: skew, since }, skew };
}
