import { keyOf, timestampOf, type Gate, type GateState } from '@interlock/api';
import { believedState, horizonMs } from '@interlock/gating';
import * as z from 'zod';
import type { GateReader } from '../gate/reader.js';

/** The answer of the endpoint about a gate. */
export interface GateAnswer {
  namespace: string;
  name: string;
  state: GateState;
  cause?: string;
  message: string;
  /** RFC 3339, like all times. */
  since?: string;
  next?: { at: string; state: GateState; cause: string };
  /** Until when the state is valid. */
  validUntil?: string;
  /** The requested time; absent for now. */
  at?: string;
}

/** Returns the current state of a gate: the state in its status, as long as that state is valid. */
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

/**
 * Returns the state of a gate at another time, as far as it is known today; undefined if it is not known yet and the
 * client should ask again in some seconds.
 */
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

/** Returns the time in a text, in milliseconds since the epoch, or why it is not supported. */
export function parseAt(text: string, now: number): number | { error: string } {
  const at = rfc3339.safeParse(text).success ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    return { error: 'parameter at is not an RFC 3339 time; write for example 2026-12-24T18:00:00Z' };
  if (Math.abs(at - now) > horizonMs) return { error: 'parameter at is more than ten years away' };
  return at;
}
