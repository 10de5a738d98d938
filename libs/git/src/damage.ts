import { isTyped } from '@interlock/api';
import { gitFailed, mirrorDamaged, repositoryTooLarge } from './process/failure.js';

const firstLimit = 3;
const maxLimit = 1_000;

/**
 * Counts failures that a damaged mirror causes. One of them may have another cause, such as a killed process; several are a
 * reason to make the mirror anew, as everything in it can be fetched. Each time the number that is needed doubles, so
 * that what a new mirror does not cure leads to few fetches.
 */
export class Damage {
  #failures = 0;
  #limit = firstLimit;

  /** Counts one failure. Returns whether the mirror should be made anew now. */
  count(): boolean {
    this.#failures += 1;
    if (this.#failures < this.#limit) return false;
    this.#failures = 0;
    this.#limit = Math.min(2 * this.#limit, maxLimit);
    return true;
  }
}

/**
 * Returns whether a failed git process points at damage of the mirror. One that is too large may hold what the remote does not
 * any more. `usesRemote`: its failures without a known cause are more likely those of the remote.
 */
export function pointsAtDamage(error: unknown, usesRemote: boolean): boolean {
  if (!isTyped(error)) return false;
  if (error.reason === mirrorDamaged || error.reason === repositoryTooLarge) return true;
  return error.reason === gitFailed && !usesRemote;
}
