import type { Gate, GateOverride } from '@interlock/api';
import {
  decideGate,
  type DecideOptions,
  type GateDecision,
  type KeeperInput,
  type Subject,
} from '@interlock/gating';

/** A gate and the objects that decide its state. */
export interface ObservedGate {
  gate: Gate;
  keepers: readonly KeeperInput[];
  overrides: readonly GateOverride[];
  /** When its recorded state was last decided, in ms since the epoch; undefined if this process did not decide it. */
  recordedAt?: number | undefined;
}

/**
 * Returns the decision about a gate at any time, now or later. Pure.
 *
 * @param at milliseconds since the epoch
 * @param subject the object for which the gate is evaluated; undefined for the gate as a whole
 */
export function decideObservedGate(
  { gate, keepers, overrides, recordedAt }: ObservedGate,
  options: DecideOptions,
  at: number,
  subject?: Subject,
): GateDecision {
  return decideGate(at, gate, keepers, overrides, subject, { ...options, recordedAt });
}
