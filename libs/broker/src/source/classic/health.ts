import { isTyped, messageOf } from '@interlock/api';
import type { Clock } from '@interlock/base';
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
/** Fewer failures in a row may pass by themselves. */
const noticedFailures = 3;

/** Returns the state that a failure means. */
export function stateOf(error: unknown): State {
  if (!isTyped(error)) return 'failing';
  if (error.type === 'RateLimited') return 'rateLimited';
  return statesOfReasons[error.reason] ?? (error.type === 'Unauthorized' ? 'unauthorized' : 'failing');
}

/** How a source is doing, from the outcomes of its calls. Reports changes of the state alone. */
export class HealthTracker {
  readonly #clock: Clock;
  readonly #report: (health: SourceHealth) => void;
  #state: State | undefined;
  #failures = 0;

  constructor(clock: Clock, report: (health: SourceHealth) => void) {
    this.#clock = clock;
    this.#report = report;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#set('polling', undefined);
  }

  /** A call failed that is repeated. */
  failed(error: unknown): void {
    const state = stateOf(error);
    this.#failures += 1;
    const isPassing = state === 'failing' || state === 'unauthorized';
    if (!isPassing || this.#failures >= noticedFailures) this.#set(state, error);
  }

  /** A runner cannot be used any more, and its successor could not, either. */
  broken(error: unknown): void {
    this.#set(stateOf(error), error);
  }

  #set(state: State, error: unknown): void {
    if (this.#state === state) return;
    this.#state = state;
    const since = this.#clock.now();
    if (state === 'polling') {
      this.#report({ state, since });
      return;
    }
    /* The store of records, which is not GitHub, may refuse as well. */
    const hint = state === 'unauthorized' && !isRefusal(error) ? undefined : hints[state];
    this.#report({ state, since, message: messageOf(error) + (hint === undefined ? '' : `; ${hint}`) });
  }
}
