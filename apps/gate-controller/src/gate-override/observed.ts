import type { Gate, GateOverride } from '@interlock/api';
import type { BoundTarget } from '../gate-binding/actuator.js';
import type { ObservedGate } from '../gate/engine.js';

/** The input of the decision. */
export interface ObservedOverride {
  override: GateOverride;
  /** Undefined if the gate does not exist. */
  gate: Gate | undefined;
  /** The overrides of its gate, including itself, which are judged together. */
  overrides: readonly GateOverride[];
  /** Read only for a live override that ends after one revision. */
  bound?: ObservedTargets | undefined;
}

/** The objects that are bound to the gate of an override, and the objects that decide its state. */
export interface ObservedTargets {
  targets: readonly BoundTarget[];
  /** Undefined until the objects that the keepers of the gate refer to have been read. */
  situation: ObservedGate | undefined;
  /** Whether a live override of the gate applies to some targets or revisions only. */
  isScoped: boolean;
}
