import type { GateStatus } from '@interlock/api';
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
  /** Milliseconds until it has to be looked at again. */
  requeueAfterMs: number;
}

/** @returns the kind of a cause, without a name: `GateKeeper` of `GateKeeper/freeze`. */
export function kindOfCause(cause: string): string {
  return cause.split('/', 1)[0] ?? cause;
}
