import type { GateOverride, GateStatus } from '@interlock/api';
import type { BoundTarget } from '../gate-binding/actuator.js';
import type { ObservedGate } from './engine.js';

/** What is known of a gate when its state is decided. */
export interface GateSituation extends ObservedGate {
  /** What is bound to it. */
  targets: readonly BoundTarget[];
  /** How far this machine's clock is ahead of the API server's, in milliseconds; undefined: not known. */
  skewMs: number | undefined;
}

/** What the reconciler of gates observes. */
export interface ObservedSituation extends GateSituation {
  /** The ends of overrides that its state includes, once it is on record. */
  ended: readonly GateOverride[];
}

/** What the status of a gate is to be. */
export interface GateAction {
  status: GateStatus;
  /** Milliseconds until it has to be decided again. */
  requeueAfterMs: number;
  /** Milliseconds since the epoch. */
  decidedAt: number;
}
