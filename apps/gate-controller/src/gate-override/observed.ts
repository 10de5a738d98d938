import type { Gate, GateOverride } from '@interlock/api';
import type { BoundTarget } from '../gate-binding/actuator.js';
import type { ObservedGate } from '../gate/engine.js';

/** What is decided from. */
export interface ObservedOverride {
  override: GateOverride;
  /** Undefined: the gate does not exist. */
  gate: Gate | undefined;
  /** What it is judged with: the overrides of its gate, itself included. */
  overrides: readonly GateOverride[];
  /** Read only for an override that is live and ends after one revision. */
  bound?: ObservedTargets | undefined;
}

/** What is bound to the gate of an override, and what decides over it. */
export interface ObservedTargets {
  targets: readonly BoundTarget[];
  /** Undefined: what the keepers of the gate refer to has not been read yet. */
  situation: ObservedGate | undefined;
  /** Whether a live override of the gate is for some targets or revisions only. */
  isScoped: boolean;
}
