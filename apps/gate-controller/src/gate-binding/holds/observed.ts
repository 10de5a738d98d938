import type { FluxObject } from '@interlock/gating';
import type { BindingVerdict } from '../actuator.js';
import type { Claim } from './claim.js';

/** What is decided from. */
export interface ObservedHold {
  object: FluxObject;
  /** Of all bindings, and of its own annotations. */
  claims: readonly Claim[];
  /** False until all gates have been evaluated after a start. */
  mayRelease: boolean;
  /** Undefined: its annotations name none, or the object is not a source. */
  own: OwnGates | undefined;
}

/** The gates that the annotations of a source name. */
export interface OwnGates {
  /** What is wrong with the annotations. */
  problem?: string | undefined;
  verdict: BindingVerdict;
}
