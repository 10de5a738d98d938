import { keyOf, timestampOf, type Gate, type GateState } from '@interlock/api';
import { believedState, horizonMs } from '@interlock/gating';
import { z } from 'zod';
import type { GateReader } from '../gate/reader.js';

/** What the endpoint says of a gate. */
export interface GateAnswer {
  namespace: string;
  name: string;
  state: GateState;
  cause?: string;
  message: string;
  /** RFC 3339, as all times. */
  since?: string;
  next?: { at: string; state: GateState; cause: string };
  /** Until when the state may be believed. */
  validUntil?: string;
  /** The time that was asked about; absent: now. */
  at?: string;
}

/** Returns what a gate says now: what its status says, for as long as that may be believed. */
export function answerNow(gate: Gate, now: number): GateAnswer {
  const { name, namespace = '' } = gate.metadata;
  const believed = believedState(gate, now);
  const { status } = gate;
  const isCurrent = status?.state === believed.state && Date.parse(status.validUntil ?? '') > now;
  return {
    namespace,
    name,
    state: believed.state,
    message: believed.message,
    ...(isCurrent && {
      ...(status.cause !== undefined && { cause: status.cause }),
      ...(status.since !== undefined && { since: status.since }),
      ...(status.next && { next: status.next }),
    }),
    ...(status?.validUntil !== undefined && { validUntil: status.validUntil }),
  };
}

/** Returns what a gate would say at another time, as far as it is known today; undefined: not yet, ask again in seconds. */
export function answerAt(
  gate: Gate,
  reader: Pick<GateReader, 'observe' | 'decide'>,
  at: number,
): GateAnswer | undefined {
  const observed = reader.observe(keyOf(gate));
  if (observed === undefined || observed === 'pending') return undefined;
  const { name, namespace = '' } = gate.metadata;
  const { state, cause, message, since, next } = reader.decide(observed, at);
  return {
    namespace,
    name,
    state,
    cause,
    message,
    since: timestampOf(since),
    ...(next && { next: { ...next, at: timestampOf(next.at) } }),
    at: timestampOf(at),
  };
}

const rfc3339 = z.iso.datetime({ offset: true });

/** Returns the time that a text names, in milliseconds since the epoch; or why it cannot be asked about. */
export function parseAt(text: string, now: number): number | { error: string } {
  const at = rfc3339.safeParse(text).success ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    return { error: 'at is not an RFC 3339 time; write for example 2026-12-24T18:00:00Z' };
  if (Math.abs(at - now) > horizonMs) return { error: 'at is more than ten years away' };
  return at;
}
