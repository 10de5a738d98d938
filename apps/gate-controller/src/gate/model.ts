import type { GateState, GateStatus } from '@interlock/api';
import type { AuditEntry } from '@interlock/gating';
import type { BoundTarget } from '../gate-binding/actuator.js';
import type { ObservedGate } from './reader.js';

/** What is known of a gate when its state is decided. */
export interface GateSituation extends ObservedGate {
  /** What is bound to it. */
  targets: readonly BoundTarget[];
  /** How far this machine's clock is ahead of the API server's, in milliseconds; undefined: not known. */
  skewMs: number | undefined;
}

/** What is to be done about a gate. */
export interface GateAction {
  status: GateStatus;
  /** A change of the state, which is in `status.history` already. */
  transition?: Transition;
  /** Milliseconds until it has to be looked at again. */
  requeueAfterMs: number;
}

export interface Transition {
  record: AuditEntry;
  /** For people: the reason of the override, or why without one. */
  text: string;
}

/** @returns the kind of a cause, without a name: `GateKeeper` of `GateKeeper/freeze`. */
export function kindOfCause(cause: string): string {
  return cause.split('/', 1)[0] ?? cause;
}

export function isOpen(state: GateState): boolean {
  return state === 'Open';
}
