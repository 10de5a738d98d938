import type { FluxObject } from '@interlock/gating';
import type { BindingVerdict } from '../actuator.js';
import type { Claim } from './claim.js';

/** The input of the decision. */
export interface ObservedHold {
  object: FluxObject;
  /** The claims of all bindings, and of the object's own annotations. */
  claims: readonly Claim[];
  /** False until all gates have been evaluated after a start. */
  mayRelease: boolean;
  /** Undefined if its annotations do not name gates, or the object is not a source. */
  own: OwnGates | undefined;
}

/** The gates that the annotations of a source name. */
export interface OwnGates {
  /** An error in the annotations. */
  problem?: string | undefined;
  verdict: BindingVerdict;
}
