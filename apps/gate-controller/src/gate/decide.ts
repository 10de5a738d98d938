import { timestampOf, type GateStatus, type NextChange } from '@interlock/api';
import { truncate } from '@interlock/base';
import {
  appendAudit,
  defaultStateTtlMs,
  type DecideOptions,
  type GateAuditSigner,
  type GateDecision,
  type NextDecision,
} from '@interlock/gating';
import { gateConditions } from './conditions.js';
import { contributionsOf } from './contributions.js';
import type { GateAction, GateSituation } from './observed.js';
import { heldBack } from './skew.js';
import { transitionOf } from './transition.js';

/** Maximum delay until a gate is evaluated again, which limits the effect of a lost timer. */
const resyncMs = 60_000;
const maxMessage = 2048;

/**
 * Returns the status of a gate, with a record of the change if its state changes. Pure.
 *
 * @param engine the decision of the engine for this situation at `now`
 * @param now milliseconds since the epoch
 * @param sign signs records; undefined if there is no key
 */
export function decideGateAction(
  situation: GateSituation,
  engine: GateDecision,
  now: number,
  options: DecideOptions,
  sign?: GateAuditSigner,
): GateAction {
  const { gate } = situation;
  const before = gate.status;
  const ttlMs = options.stateTtlMs ?? defaultStateTtlMs;
  const { decision, skew } = heldBack(engine, situation, now);
  const validUntil = renewed(before, decision, now, ttlMs);
  const next = decision.next && nextChange(decision.next);
  const transition = transitionOf(situation, decision, next, now, options);
  const history =
    transition === undefined ? before?.history : appendAudit(before?.history, transition, sign?.(gate));
  const status: GateStatus = {
    observedGeneration: gate.metadata.generation,
    conditions: gateConditions(gate, decision, skew, now),
    state: decision.state,
    cause: decision.cause,
    message: truncate(decision.message, maxMessage),
    since: timestampOf(decision.since),
    ...(next && { next }),
    validUntil: timestampOf(validUntil),
    contributions: contributionsOf(decision),
    ...(history && { history }),
  };
  return {
    status,
    requeueAfterMs: wakeAfter(decision, validUntil, ttlMs, now),
    decidedAt: now,
  };
}

/**
 * Returns until when the state is valid. The validity is extended when half of it has elapsed, so that the status of an
 * unchanged gate is not written at each evaluation.
 */
function renewed(before: GateStatus | undefined, decision: GateDecision, now: number, ttlMs: number): number {
  const known = Date.parse(before?.validUntil ?? '');
  const lasts = known > now + ttlMs / 2 && known <= decision.validUntil;
  return lasts && before?.state === decision.state ? known : decision.validUntil;
}

function wakeAfter(
  { next, contributions }: GateDecision,
  validUntil: number,
  ttlMs: number,
  now: number,
): number {
  const times = [
    now + resyncMs,
    validUntil - ttlMs / 2,
    ...(next === undefined ? [] : [next.at]),
    ...contributions.flatMap((one) => one.next ?? []),
  ].filter((at) => at > now);
  return Math.min(...times) - now;
}

function nextChange({ at, state, cause }: NextDecision): NextChange {
  return { at: timestampOf(at), state, cause };
}
