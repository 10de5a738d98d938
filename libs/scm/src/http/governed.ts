import { TypedError, isTyped } from '@interlock/api';
import { backoffMs, abortReason, sleep } from '@interlock/base';
import type { Priority, RateLimit } from '../governor/budget.js';
import type { Governor } from '../governor/governor.js';
import type { ScmCall, ScmCaller } from '../metrics.js';
import { tooLarge } from '../refusals.js';
import type { ScmContext } from '../scm.js';
import type { Headers, Refusal, RefusalError } from './errors.js';

/** The properties of a request for the governor, metrics and messages. */
export interface Exchange extends ScmCall {
  /** The operation and the object, for messages, such as `merge pull request 7 of acme/web`. */
  what: string;
  caller: ScmCaller;
  priority: Priority;
  signal?: AbortSignal | undefined;
  /** ETag of the known value; the response may then be `unchanged`. */
  etag?: string | undefined;
}

/** The response, of any status, or why there is none. */
export type Reply = { status: number; headers: Headers; data: unknown } | { failure: unknown };

export type Answer<T> = { unchanged: true } | { unchanged: false; data: T; headers: Headers };

/** The SCM-specific form of rate limits and refusals. */
export interface Dialect {
  /** Returns the rate limit in a response, if there is one. */
  rateLimit(headers: Headers, now: number): RateLimit | undefined;
  refusal(what: string, refusal: Refusal, now: number): RefusalError;
}

const attempts = 3;
const backoff = { baseMs: 1_000, maxMs: 5_000 };

/** Requests to the API of an SCM: governed, measured, and with typed failures. It is independent of credentials and protocols. */
export class GovernedHttp {
  readonly #dialect: Dialect;

  constructor(
    readonly context: ScmContext,
    dialect: Dialect,
  ) {
    this.#dialect = dialect;
  }

  /**
   * Sends a request when the governor allows it. A refusal because of the rate limit has had no effect and is
   * repeated when the pause is short; a failure that leaves the effect unknown is repeated for reads only. The caller
   * handles all other cases.
   *
   * @param governor the governor of the credential.
   * @param reads whether the request changes nothing.
   * @param request makes the request once, bounded in time (see `createFetch`); never rejects.
   */
  async send<T>(
    governor: Governor,
    reads: boolean,
    exchange: Exchange,
    request: () => Promise<Reply>,
  ): Promise<Answer<T>> {
    const { priority, signal } = exchange;
    for (let attempt = 1; ; attempt++) {
      let sent = false;
      try {
        return await governor.run({ priority, mutates: !reads, signal }, () => {
          sent = true;
          return this.#exchange<T>(governor, exchange, request);
        });
      } catch (error) {
        if (!sent || attempt === attempts) throw error;
        if (isTyped(error, 'Transient') && error.retryAfterMs === undefined && reads) {
          const { clock, random } = this.context;
          await sleep(clock, backoffMs(attempt, backoff, random), signal);
        } else if (!isTyped(error, 'RateLimited')) {
          throw error;
        }
      }
    }
  }

  async #exchange<T>(
    governor: Governor,
    exchange: Exchange,
    request: () => Promise<Reply>,
  ): Promise<Answer<T>> {
    const { clock, metrics } = this.context;
    const started = clock.monotonic();
    const reply = await request();
    const seconds = (clock.monotonic() - started) / 1000;
    const now = clock.now();
    const code = 'failure' in reply ? 'error' : String(reply.status);
    const call = { api: exchange.api, operation: exchange.operation };
    metrics.called(exchange.caller, call, code, seconds);
    if ('failure' in reply) throw networkError(exchange, reply.failure);

    const stated = this.#dialect.rateLimit(reply.headers, now);
    if (stated !== undefined) {
      governor.learn(stated);
      metrics.rateLimit(exchange.caller, stated, now);
    }
    if (reply.status < 400) governor.accepted();
    if (reply.status === 304) return { unchanged: true };
    if (reply.status >= 200 && reply.status < 300) {
      if (reply.status !== 204 && (typeof reply.data !== 'object' || reply.data === null)) {
        throw new TypedError('Transient', `${exchange.what}: the answer is not JSON`, {
          reason: 'BadAnswer',
        });
      }
      return { unchanged: false, data: reply.data as T, headers: reply.headers };
    }
    const refusal = { status: reply.status, headers: reply.headers, body: reply.data };
    const error = this.#dialect.refusal(exchange.what, refusal, now);
    if (error.type !== 'RateLimited') throw error;
    const retryAfterMs = governor.refused(error.retryAfterMs);
    throw new TypedError('RateLimited', error.message, { retryAfterMs });
  }
}

/** Returns the body of a response to a request without an ETag. */
export function bodyOf<T>(answer: Answer<T>): T {
  if (answer.unchanged) throw new RangeError('an unconditional request was answered as unchanged');
  return answer.data;
}

/** Returns the failure of a request without a response. Its text may quote the request, so only codes are passed on. */
function networkError({ what, signal }: Exchange, failure: unknown): Error {
  if (signal?.aborted === true) return abortReason(signal);
  const codes: string[] = [];
  for (let cause = failure; typeof cause === 'object' && cause !== null && codes.length < 5;) {
    if (isTyped(cause)) return cause;
    if ('name' in cause && cause.name === 'TimeoutError') {
      return new TypedError('Transient', `${what}: no answer in time`, { reason: 'Timeout' });
    }
    if ('code' in cause && cause.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
      return tooLarge(`${what}: the answer`, 'this process reads');
    }
    if ('code' in cause && typeof cause.code === 'string') codes.push(cause.code);
    cause = 'cause' in cause ? cause.cause : undefined;
  }
  return new TypedError('Transient', `${what}: no answer (${codes.at(-1) ?? 'connection failed'})`, {
    reason: 'Network',
  });
}
