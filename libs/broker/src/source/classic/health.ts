import { isTyped, messageOf, type TypedError } from '@interlock/api';
import type { Clock } from '@interlock/base';
import { limitUsedUp } from '../../governor/governors.js';
import { isRefusal } from '../../wire/refusal.js';
import type { SourceHealth } from '../job-source.js';

type State = SourceHealth['state'];

const statesOfReasons: Readonly<Record<string, State>> = {
  CredentialUnavailable: 'credentialMissing',
  RunnerVersionTooOld: 'versionTooOld',
  SessionConflict: 'sessionHeld',
};
const hints: Partial<Record<State, string>> = {
  versionTooOld: 'set a runner version that GitHub still accepts',
  unauthorized: 'check the permissions of the GitHub App and whether its runners are still registered',
};
/** The number of consecutive failures that is reported; fewer may be transient. */
const noticedFailures = 3;
/** How often the message of a state may change: the sessions of a source may fail for different causes at the same time. */
const restateMs = 60_000;

/** Returns the state of a source after a failure. */
export function stateOf(error: unknown): State {
  if (!isTyped(error)) return 'failing';
  if (error.type === 'RateLimited') return 'rateLimited';
  return statesOfReasons[error.reason] ?? (error.type === 'Unauthorized' ? 'unauthorized' : 'failing');
}

/**
 * Derives the health of a source from the outcomes of its calls, and reports changes of the state, of its cause, and of what a credential
 * lacks.
 */
export class HealthTracker {
  readonly #clock: Clock;
  readonly #report: (health: SourceHealth) => void;
  #state: State | undefined;
  #message: string | undefined;
  #cause = '';
  #since = 0;
  /** When the message was set, in milliseconds of the monotonic clock. */
  #statedAt = 0;
  #failures = 0;
  /** Until when the service requests a pause of the calls; milliseconds of the monotonic clock. */
  #limitedUntil = 0;
  /** Why a place for a session has no usable runner. */
  #problem: { error: unknown } | undefined;

  constructor(clock: Clock, report: (health: SourceHealth) => void) {
    this.#clock = clock;
    this.#report = report;
  }

  succeeded(): void {
    this.#failures = 0;
    /* The polls that were held when the pause began are answered. */
    if (this.#state === 'rateLimited' && this.#clock.monotonic() < this.#limitedUntil) return;
    /* Other runners poll although no further one can be registered. */
    if (this.#problem === undefined) this.#set('polling', undefined);
    else this.#set(stateOf(this.#problem.error), this.#problem.error);
  }

  /** Records the failure of a call that is repeated. */
  failed(error: unknown): void {
    const state = stateOf(error);
    this.#failures += 1;
    if (isTyped(error, 'RateLimited'))
      this.#limitedUntil = this.#clock.monotonic() + (error.retryAfterMs ?? 0);
    const isPassing = state === 'failing' || state === 'unauthorized';
    if (!isPassing || this.#failures >= noticedFailures) this.#set(state, error);
  }

  /** Records that a runner is unusable, and that its successor would be as well, until {@link repaired}. */
  broken(error: unknown): void {
    this.#problem = { error };
    this.#set(stateOf(error), error);
  }

  /** Records that each place for a session has a usable runner, or is no longer needed. */
  repaired(): void {
    this.#problem = undefined;
  }

  #set(state: State, error: unknown): void {
    const isSame = this.#state === state;
    if (isSame && !this.#isRestated(state, error)) return;
    const message = state === 'polling' ? undefined : textOf(state, error);
    if (isSame && message === this.#message) return;
    if (!isSame) this.#since = this.#clock.now();
    this.#state = state;
    this.#message = message;
    this.#cause = causeOf(error);
    this.#statedAt = this.#clock.monotonic();
    this.#report({
      ...{ state, since: this.#since },
      ...(isLimit(error) && { reason: limitUsedUp }),
      ...(message !== undefined && { message }),
    });
  }

  /** Returns whether the message of the present state changes with an error. */
  #isRestated(state: State, error: unknown): boolean {
    if (state === 'credentialMissing' || isLimit(error)) return true;
    const hasCauses = state === 'failing' || state === 'unauthorized';
    const isOther = hasCauses && causeOf(error) !== this.#cause;
    return isOther && this.#clock.monotonic() >= this.#statedAt + restateMs;
  }
}

/** Returns what failures have in common whose messages differ from call to call, such as by the name of a runner. */
function causeOf(error: unknown): string {
  if (isRefusal(error)) return `${error.reason} ${error.status}`;
  return isTyped(error) ? error.reason : '';
}

/** Returns whether a call was not made because the limit of its API is used up for a long time. */
function isLimit(error: unknown): error is TypedError {
  return isTyped(error, 'RateLimited') && error.reason === limitUsedUp;
}

function textOf(state: State, error: unknown): string {
  /* The refusal may come from the store of records instead of GitHub. */
  const hint = state === 'unauthorized' && !isRefusal(error) ? undefined : hints[state];
  return messageOf(error) + (hint === undefined ? '' : `; ${hint}`);
}
