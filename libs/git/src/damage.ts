import { isTyped } from '@interlock/api';
import { gitFailed, mirrorDamaged, repositoryTooLarge } from './process/failure.js';

const firstLimit = 3;
const maxLimit = 1_000;

/**
 * Counts failures that a damaged mirror causes. A single failure may have another cause, such as a killed process;
 * after several, the mirror is recreated, because everything in it can be fetched again. The required number doubles
 * each time, so that a problem that a new mirror does not fix causes few fetches.
 */
export class Damage {
  #failures = 0;
  #limit = firstLimit;

  /** Counts one failure. Returns whether the mirror should be recreated now. */
  count(): boolean {
    this.#failures += 1;
    if (this.#failures < this.#limit) return false;
    this.#failures = 0;
    this.#limit = Math.min(2 * this.#limit, maxLimit);
    return true;
  }
}

/**
 * Returns whether a failed git process indicates damage of the mirror. A mirror that is too large may contain objects
 * that the remote no longer has. `usesRemote`: failures without a known cause are more likely to be caused by the
 * remote.
 */
export function pointsAtDamage(error: unknown, usesRemote: boolean): boolean {
  if (!isTyped(error)) return false;
  if (error.reason === mirrorDamaged || error.reason === repositoryTooLarge) return true;
  return error.reason === gitFailed && !usesRemote;
}
