import type { GateOverride, GateStatus } from '@interlock/api';
import type { BoundTarget } from '../gate-binding/actuator.js';
import type { ObservedGate } from './engine.js';

/** The inputs of the decision about a gate. */
export interface GateSituation extends ObservedGate {
  /** The objects that are bound to the gate. */
  targets: readonly BoundTarget[];
  /** How far this machine's clock is ahead of the API server's, in milliseconds; undefined if it is not known. */
  skewMs: number | undefined;
}

/** The observation of the reconciler of gates. */
export interface ObservedSituation extends GateSituation {
  /** The ends of overrides that its state includes once it is stored. */
  ended: readonly GateOverride[];
}

/** The desired status of a gate. */
export interface GateAction {
  status: GateStatus;
  /** Milliseconds until it must be decided again. */
  requeueAfterMs: number;
  /** Milliseconds since the epoch. */
  decidedAt: number;
}
