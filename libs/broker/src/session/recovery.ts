import { isTyped } from '@interlock/api';
import { isRefusal } from '../wire/refusal.js';
import { failureBackoffMs } from './backoff.js';

/** The decision after a failed call of a session. */
type RecoveryStep =
  | { type: 'fail' }
  /** A poll whose connection was closed after it was held counts as an empty poll. */
  | { type: 'idle' }
  | { type: 'repeat'; waitMs: number; forgetsToken?: boolean; forgetsSession?: boolean };

/** The shortest time after which a proxy cuts idle connections. */
const heldMs = 25_000;
const maxExpiries = 3;
const lostReasons = new Set(['AnswerLost', 'StaleConnection', 'Timeout']);
const terminalReasons = new Set([
  'RunnerNotFound',
  'RunnerVersionTooOld',
  'AccessDenied',
  'InvalidClient',
  'HostNotAllowed',
  'SessionConflict',
]);

/** Decides how the polls of one session continue after failures. */
export class Recovery {
  readonly #random: () => number;
  #failures = 0;
  #refusals = 0;
  #expiries = 0;
  #hasRepeatedStale = false;

  constructor(random: () => number) {
    this.#random = random;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#refusals = 0;
    this.#expiries = 0;
    this.#hasRepeatedStale = false;
  }

  /** Returns the decision after an error. @param tookMs how long the poll took; negative if a call before it failed */
  next(error: unknown, tookMs: number): RecoveryStep {
    if (!isTyped(error) || terminalReasons.has(error.reason)) return { type: 'fail' };
    if (lostReasons.has(error.reason) && tookMs >= heldMs) return { type: 'idle' };
    /* The server may close each connection after an answer. A poll can be repeated at once (RFC 9112, 9.3.1), a POST before it not. */
    if (error.reason === 'StaleConnection' && tookMs >= 0 && !this.#hasRepeatedStale) {
      this.#hasRepeatedStale = true;
      return { type: 'repeat', waitMs: 0 };
    }
    /* The governor of the host delays the next call. */
    if (error.type === 'RateLimited') return { type: 'repeat', waitMs: 0 };
    if (isRefusal(error) && error.status === 401) return this.#unauthorized();
    if (error.type === 'NotFound') return this.#expired();
    if (error.type !== 'Transient' && error.type !== 'Invalid') return { type: 'fail' };
    this.#failures += 1;
    return { type: 'repeat', waitMs: failureBackoffMs(this.#failures, this.#random) };
  }

  #unauthorized(): RecoveryStep {
    this.#refusals += 1;
    return this.#refusals > 1 ? { type: 'fail' } : { type: 'repeat', waitMs: 0, forgetsToken: true };
  }

  #expired(): RecoveryStep {
    this.#expiries += 1;
    if (this.#expiries > maxExpiries) return { type: 'fail' };
    const waitMs = this.#expiries === 1 ? 0 : failureBackoffMs(this.#expiries, this.#random);
    return { type: 'repeat', waitMs, forgetsSession: true };
  }
}

/** How soon the service answers the poll of a runner that it no longer knows. */
const immediateMs = 1_000;
const maxBlankAnswers = 3;

/**
 * Returns the number of consecutive immediate answers with status 200 and no content, after an answer without a message.
 *
 * @param before the number before this answer
 */
export function countBlankAnswers(before: number, status: number, tookMs: number): number {
  return status === 200 && tookMs < immediateMs ? before + 1 : 0;
}

/**
 * Returns whether this number of blank answers shows that a session has ended. If they continue after the session was created
 * again, the service sends a blank answer to every poll without a message.
 */
export function isEndOfSession(blankAnswers: number): boolean {
  return blankAnswers === maxBlankAnswers;
}
