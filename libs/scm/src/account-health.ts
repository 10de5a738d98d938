import { isTyped, type TypedError } from '@interlock/api';
import type { Clock } from '@interlock/base';
import { LRUCache } from 'lru-cache';
import { contentLimit } from './governor/governor.js';
import type { ScmConnection, ScmRepository } from './scm.js';

/** An ScmProvider or a ClusterScmProvider; the namespace of a ClusterScmProvider is empty. */
export type AccountRef = ScmConnection['provider'];

/** Why the calls of an account fail. */
export interface AccountProblem {
  error: TypedError;
  /** When the problem began, in milliseconds since the epoch. */
  since: number;
  /**
   * Until when the SCM requires callers to wait, in milliseconds since the epoch; absent if it did not state a time.
   */
  until?: number | undefined;
}

const maxAccounts = 10_000;
/** Milliseconds. A caller whose call failed calls again sooner than this, unless its object was deleted. */
const forgottenAfterMs = 15 * 60_000;
/** The reasons for which the process itself defers a call; other calls of the account are still made. */
const deferrals: ReadonlySet<string> = new Set(['Busy', contentLimit]);

/**
 * Credentials for git may come from memory: a successful read of a credential ends only a problem that began with a
 * failed read.
 */
type CallKind = 'credentials' | 'call';

/** Times are of the monotonic clock. */
interface Known extends AccountProblem {
  kind: CallKind;
  lastAt: number;
}

/**
 * The results of the calls of accounts: a refused credential, a spent rate limit and a server that does not answer concern
 * an account as a whole, whichever object needed the call. Any other answer shows that the account works.
 */
export class AccountHealth {
  readonly #problems = new LRUCache<string, Known>({ maxSize: maxAccounts, sizeCalculation: () => 1 });
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Called when a problem begins or ends. */
  changed: (account: AccountRef) => void = () => undefined;

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Records the end of a call.
   *
   * @param error its failure; undefined for a success. An error without a type, such as the reason of an abort, is ignored.
   */
  record(account: AccountRef, kind: CallKind, error?: unknown): void {
    if (error === undefined || (isTyped(error) && !concernsAccount(error))) this.#answered(account, kind);
    else if (isTyped(error)) this.#failed(account, kind, error);
  }

  /**
   * Returns why the calls of an account fail; undefined when they do not fail, or when no call was made for a while.
   */
  problemOf(account: AccountRef): AccountProblem | undefined {
    const known = this.#problems.get(nameOf(account));
    const now = this.#clock.monotonic();
    if (known === undefined || now - (known.until ?? known.lastAt) > forgottenAfterMs) return undefined;
    const { error, since, until } = known;
    const toEpoch = this.#clock.now() - now;
    return { error, since: since + toEpoch, until: until === undefined ? undefined : until + toEpoch };
  }

  forget(account: AccountRef): void {
    this.#problems.delete(nameOf(account));
  }

  /** Returns a repository whose calls are recorded. */
  watch(account: AccountRef, repository: ScmRepository): ScmRepository {
    return recorded(repository, (kind, error) => this.record(account, kind, error));
  }

  #failed(account: AccountRef, kind: CallKind, error: TypedError): void {
    const lasts = this.problemOf(account) !== undefined;
    const since = lasts ? this.#problems.get(nameOf(account))?.since : undefined;
    const lastAt = this.#clock.monotonic();
    const { retryAfterMs } = error;
    this.#problems.set(nameOf(account), {
      error,
      kind,
      since: since ?? lastAt,
      lastAt,
      until: retryAfterMs === undefined ? undefined : lastAt + retryAfterMs,
    });
    if (!lasts) this.changed(account);
  }

  #answered(account: AccountRef, kind: CallKind): void {
    const known = this.#problems.get(nameOf(account));
    /* Calls of another priority may go through while a rate limit lasts. */
    if (known === undefined || (known.until ?? -Infinity) > this.#clock.monotonic()) return;
    if (kind === 'credentials' && known.kind === 'call') return;
    this.forget(account);
    this.changed(account);
  }
}

/**
 * Returns whether an error concerns the account. A missing permission does not, because any GitRepository can name a
 * repository without it.
 */
function concernsAccount(error: TypedError): boolean {
  if (error.reason === 'Forbidden') return false;
  return isTyped(error, 'Unauthorized', 'RateLimited', 'Transient') && !deferrals.has(error.reason);
}

function nameOf({ kind, namespace, name }: AccountRef): string {
  return [kind, namespace, name].join('/');
}

/** Returns an object whose calls are recorded. Methods keep their receiver: a plugin may use private fields. */
function recorded<T extends object>(target: T, record: (kind: CallKind, error?: unknown) => void): T {
  return new Proxy(target, {
    get(_, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (property === 'contents' && typeof value === 'object' && value !== null) {
        return recorded(value, record);
      }
      if (typeof value !== 'function') return value;
      const kind = property === 'gitCredentials' ? 'credentials' : 'call';
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, target, args);
        if (result instanceof Promise) {
          result.then(
            () => record(kind),
            (error: unknown) => record(kind, error),
          );
        }
        return result;
      };
    },
  });
}
