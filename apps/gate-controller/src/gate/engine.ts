import type { Gate, GateOverride } from '@interlock/api';
import {
  decideGate,
  type DecideOptions,
  type GateDecision,
  type KeeperInput,
  type Subject,
} from '@interlock/gating';

/** A gate and all that decides over it. */
export interface ObservedGate {
  gate: Gate;
  keepers: readonly KeeperInput[];
  overrides: readonly GateOverride[];
  /** When its recorded state was decided last, in ms since the epoch; undefined: not by this process. */
  recordedAt?: number | undefined;
}

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
