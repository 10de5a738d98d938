import { finalizers, type GateBinding } from '@interlock/api';

/** What is known of the objects that an actuator holds for one binding. */
export interface Holding {
  /** An object is held, or such a hold is being written. */
  isHolding: boolean;
  /** An object is about to be held, which waits for the finalizer. */
  isRequested: boolean;
  /** False until all objects that may be held have been read; then `isHolding` may be wrong. */
  isKnown: boolean;
}

/** The holding of an actuator that leaves nothing behind when a binding goes. */
export const nothingHeld: Holding = { isHolding: false, isRequested: false, isKnown: true };

/**
 * Decides about the finalizer that lets a binding stay until all that it holds is released. A binding that holds nothing
 * has none, so that it can be deleted without the controller. Pure.
 *
 * @param holding of the actuator of its mode; those of other modes have released what they held
 */
export function decideFinalizer(
  { metadata }: GateBinding,
  { isHolding, isRequested, isKnown }: Holding,
): 'add' | 'remove' | 'keep' {
  const isPresent = metadata.finalizers?.includes(finalizers.gateBinding) === true;
  /* One that is being deleted takes no new finalizer, and loses its own when the release is done. */
  if (metadata.deletionTimestamp !== undefined) return 'keep';
  if (isHolding || isRequested) return isPresent ? 'keep' : 'add';
  return isPresent && isKnown ? 'remove' : 'keep';
}
