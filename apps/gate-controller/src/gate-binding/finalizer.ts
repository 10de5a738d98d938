import { finalizers, type GateBinding } from '@interlock/api';

/** The objects that an actuator holds for one binding. */
export interface Holding {
  /** Whether an object is held, or a hold is being written. */
  isHolding: boolean;
  /** Whether a hold waits for the finalizer. */
  isRequested: boolean;
  /** False until all objects that may be held have been read; until then, `isHolding` may be wrong. */
  isKnown: boolean;
}

/** The holding of an actuator whose effects are removed together with the binding. */
export const nothingHeld: Holding = { isHolding: false, isRequested: false, isKnown: true };

/**
 * Decides about the finalizer that keeps a binding until everything that it holds is released. A binding that holds
 * nothing does not have the finalizer, so that it can be deleted without the controller. Pure.
 *
 * @param holding the holding of the actuator of its mode; other actuators have released their objects
 */
export function decideFinalizer(
  { metadata }: GateBinding,
  { isHolding, isRequested, isKnown }: Holding,
): 'add' | 'remove' | 'keep' {
  const isPresent = metadata.finalizers?.includes(finalizers.gateBinding) === true;
  /* A binding that is being deleted accepts no new finalizer, and loses its own when the release is done. */
  if (metadata.deletionTimestamp !== undefined) return 'keep';
  if (isHolding || isRequested) return isPresent ? 'keep' : 'add';
  return isPresent && isKnown ? 'remove' : 'keep';
}
