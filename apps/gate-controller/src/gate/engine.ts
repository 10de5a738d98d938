import { decideGate, type DecideOptions, type GateDecision, type Subject } from '@interlock/gating';
import type { ObservedGate } from './reader.js';

/**
 * Returns the decision over a gate at any time, now or later. Pure.
 *
 * @param at milliseconds since the epoch
 * @param subject who asks; undefined: nobody in particular
 */
export function decideObservedGate(
  { gate, keepers, overrides, recordedAt }: ObservedGate,
  options: DecideOptions,
  at: number,
  subject?: Subject,
): GateDecision {
  return decideGate(at, gate, keepers, overrides, subject, { ...options, recordedAt });
}
