import type { Gate, GateBinding } from '@interlock/api';
import type { BindingVerdict } from './actuator.js';
import type { Holding } from './finalizer.js';

/** What is decided from. */
export interface ObservedBinding {
  binding: GateBinding;
  /** What the actuator of its mode holds for it. */
  holding: Holding;
  /** The gates that it refers to, as far as they exist. */
  gates: readonly Gate[];
  /** The state of all its gates. */
  verdict: BindingVerdict;
}
