import { messageOf } from '@interlock/api';
import type { GitLogger } from '../options.js';
import { redact } from '../process/failure.js';
import { secretsOf, type RemoteAccess } from '../process/environment.js';
import { outcomeOf, type GitMetrics } from '../process/metrics.js';
import { timeoutError } from '../process/run.js';
import { isHopeless, missesAfter, type Miss } from './direct.js';
import type { HttpClient } from './http-client.js';
import { NotOffered, type Capabilities } from './ls-refs.js';
import { AnswerTooLarge } from './pkt-line.js';

export interface DirectOptions {
  client: HttpClient;
  /** Milliseconds for all requests of an operation together. */
  timeoutMs: number;
  /** Aborts when the requests are no longer needed. */
  closed: AbortSignal;
  metrics: GitMetrics;
  log: GitLogger | undefined;
}

/** The capabilities of one remote, which are read once. */
export class Offer {
  #capabilities: Capabilities | undefined;

  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /** @throws NotOffered when it can never be used. */
  async read(remote: RemoteAccess, signal: AbortSignal): Promise<Capabilities> {
    return (this.#capabilities ??= await this.#client.capabilities(remote, signal));
  }

  forget(): void {
    this.#capabilities = undefined;
  }
}

/** Sends the requests of one operation to one remote without a process; the caller uses git if they fail. */
export class DirectRequests {
  #misses = 0;

  readonly #operation: 'ls-remote' | 'fetch';
  readonly #isLateMiss: boolean;
  readonly #offer: Offer;
  readonly #options: DirectOptions;

  /**
   * @param operation the git operation, for metrics and messages.
   * @param isLateMiss whether a late response is a miss, so that git, which may take longer, is used.
   */
  constructor(operation: 'ls-remote' | 'fetch', isLateMiss: boolean, offer: Offer, options: DirectOptions) {
    this.#operation = operation;
    this.#isLateMiss = isLateMiss;
    this.#offer = offer;
    this.#options = options;
  }

  /** Whether the remote has failed too often to be tried. */
  get isHopeless(): boolean {
    return isHopeless(this.#misses);
  }

  /**
   * Returns the response, or a miss if it is unusable.
   * @throws TypedError `Transient` (`GitTimeout`, unless that is a miss, `GitClosed`); the signal's reason after an abort.
   */
  async ask<T extends object>(
    remote: RemoteAccess,
    question: (capabilities: Capabilities, signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | Miss> {
    const operation = this.#operation;
    const { timeoutMs, closed, metrics, log } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(timeoutError(operation, timeoutMs)), timeoutMs);
    const stop = AbortSignal.any([closed, late.signal, ...(signal ? [signal] : [])]);
    const began = performance.now();
    try {
      stop.throwIfAborted();
      const answer = await question(await this.#offer.read(remote, stop), stop);
      this.#misses = missesAfter(this.#misses, undefined);
      metrics.observe(operation, 'success', performance.now() - began);
      return answer;
    } catch (error) {
      const isLeft = closed.aborted || signal?.aborted === true;
      if (stop.aborted) metrics.observe(operation, outcomeOf(stop.reason), performance.now() - began);
      if (stop.aborted && (isLeft || !this.#isLateMiss)) throw stop.reason;
      if (error instanceof AnswerTooLarge) return 'large';
      this.#offer.forget();
      const reason = redact(messageOf(error), secretsOf(remote.credentials));
      log?.debug(
        { url: remote.url, operation, reason },
        'a remote was read by a git process instead of directly',
      );
      return error instanceof NotOffered ? 'never' : 'now';
    } finally {
      clearTimeout(timer);
    }
  }

  /** Records that git succeeded after a miss, so the remote itself works. */
  gitAnswered(miss: Miss): void {
    this.#misses = missesAfter(this.#misses, miss);
  }
}
