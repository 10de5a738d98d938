import type { Gate, GateBinding } from '@interlock/api';
import type { BindingVerdict } from './actuator.js';
import type { Holding } from './finalizer.js';

/** The input of the decision. */
export interface ObservedBinding {
  binding: GateBinding;
  /** What the actuator of the mode holds for the binding. */
  holding: Holding;
  /** The existing gates that the binding refers to. */
  gates: readonly Gate[];
  /** The combined state of its gates. */
  verdict: BindingVerdict;
}
