import { TypedError, isTyped } from '@interlock/api';
import { Octokit } from '@octokit/core';
import type { Endpoints, RequestParameters } from '@octokit/types';
import { abortReason } from '../abort.js';
import { sleep } from '../clock.js';
import type { Priority } from '../governor/budget.js';
import type { Governor } from '../governor/governor.js';
import { createFetch } from '../http/fetch.js';
import type { ScmCall, ScmCaller } from '../metrics.js';
import type { ScmContext } from '../scm.js';
import { refusalError, serverTime } from './errors.js';

export type Route = keyof Endpoints;
export type Parameters<R extends Route> = Endpoints[R]['parameters'];
/** The body of a successful answer. Octokit reads whole numbers beyond 2^53 as bigint; no id of GitHub is so large. */
export type Data<R extends Route> = WithoutBigint<Endpoints[R]['response']['data']>;
type WithoutBigint<T> = T extends bigint
  ? never
  : T extends object
    ? { [K in keyof T]: WithoutBigint<T[K]> }
    : T;
export type Headers = Readonly<Record<string, string | number | undefined>>;

/** With what a request is made: the header, and the governor of the credential behind it. */
export interface Authorization {
  header: string;
  governor: Governor;
}

export interface Exchange extends ScmCall {
  /** For messages: operation and object, such as `merge pull request 7 of acme/web`. */
  what: string;
  caller: ScmCaller;
  priority: Priority;
  signal?: AbortSignal | undefined;
  /** ETag of what is known; the answer may then be `unchanged`. */
  etag?: string | undefined;
}

export type Answer<R extends Route> =
  { unchanged: true } | { unchanged: false; data: Data<R>; headers: Headers };

const apiVersion = '2022-11-28';
const attempts = 3;
const backoffMs = { base: 500, cap: 5_000 };

/** The REST API of one GitHub host: governed, measured, bounded in time, and with typed failures. Knows no credential. */
export class GithubTransport {
  readonly context: ScmContext;
  readonly #octokit: Octokit;

  constructor(apiUrl: string, context: ScmContext) {
    this.context = context;
    const quiet = (): void => undefined;
    this.#octokit = new Octokit({
      baseUrl: apiUrl,
      userAgent: 'interlock',
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      request: { fetch: createFetch({ dispatcher: context.dispatcher, timeoutMs: context.timeoutMs }) },
    });
  }

  /** @returns the URL of a request, which identifies what a GET reads. */
  urlOf<R extends Route>(route: R, parameters: Parameters<R>): string {
    return this.#octokit.request.endpoint(route, parameters).url;
  }

  /**
   * Sends a request when the governor lets it. A refusal for the rate has had no effect and is repeated when the pause
   * is short; a failure that leaves the effect unknown is repeated for reads only. All else is for the caller.
   */
  async send<R extends Route>(
    authorization: Authorization,
    route: R,
    parameters: Parameters<R>,
    exchange: Exchange,
  ): Promise<Answer<R>> {
    const reads = route.startsWith('GET ');
    const { priority, signal } = exchange;
    for (let attempt = 1; ; attempt++) {
      let sent = false;
      try {
        return await authorization.governor.run({ priority, mutates: !reads, signal }, () => {
          sent = true;
          return this.#exchange(authorization, route, parameters, exchange);
        });
      } catch (error) {
        if (!sent || attempt === attempts) throw error;
        if (isTyped(error, 'Transient') && reads) {
          const limit = Math.min(backoffMs.cap, backoffMs.base * 2 ** attempt);
          await sleep(this.context.clock, this.context.random() * limit, signal);
        } else if (!isTyped(error, 'RateLimited')) {
          throw error;
        }
      }
    }
  }

  async #exchange<R extends Route>(
    authorization: Authorization,
    route: R,
    parameters: Parameters<R>,
    exchange: Exchange,
  ): Promise<Answer<R>> {
    const started = this.context.clock.now();
    const reply = await this.#request(authorization.header, route, parameters, exchange);
    const code = 'failure' in reply ? 'error' : String(reply.status);
    const call = { api: exchange.api, operation: exchange.operation };
    this.context.metrics.called(exchange.caller, call, code, (this.context.clock.now() - started) / 1000);
    if ('failure' in reply) throw networkError(exchange, reply.failure);

    const now = this.context.clock.now();
    this.#learn(authorization.governor, reply.headers, exchange.caller, now);
    if (reply.status < 400) authorization.governor.accepted();
    if (reply.status === 304) return { unchanged: true };
    if (reply.status >= 200 && reply.status < 300) {
      if (reply.status !== 204 && (typeof reply.data !== 'object' || reply.data === null)) {
        throw new TypedError('Transient', `${exchange.what}: the answer is not JSON`, {
          reason: 'BadAnswer',
        });
      }
      return { unchanged: false, data: reply.data as Data<R>, headers: reply.headers };
    }
    const refusal = { status: reply.status, headers: reply.headers, body: reply.data };
    const error = refusalError(exchange.what, refusal, now);
    if (error.type !== 'RateLimited') throw error;
    const retryAfterMs = authorization.governor.refused(error.retryAfterMs);
    throw new TypedError('RateLimited', error.message, { retryAfterMs });
  }

  /** One request through octokit, whose way to tell of failures differs by their kind. */
  async #request<R extends Route>(
    header: string,
    route: R,
    parameters: Parameters<R>,
    { signal, etag }: Exchange,
  ): Promise<Reply> {
    const options: RequestParameters = {
      ...parameters,
      headers: {
        authorization: header,
        'x-github-api-version': apiVersion,
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
      },
      request: signal === undefined ? {} : { signal },
    };
    try {
      const { status, headers, data } = await this.#octokit.request<string>(route, options);
      return { status, headers, data };
    } catch (error) {
      if (isHttpError(error)) {
        const { status, headers, data } = error.response;
        return { status, headers, data };
      }
      return { failure: error };
    }
  }

  #learn(governor: Governor, headers: Headers, caller: ScmCaller, now: number): void {
    const limit = Number(headers['x-ratelimit-limit'] ?? NaN);
    const remaining = Number(headers['x-ratelimit-remaining'] ?? NaN);
    const reset = Number(headers['x-ratelimit-reset'] ?? NaN) * 1000;
    if (![limit, remaining, reset].every(Number.isFinite)) return;
    const told = { limit, remaining, resetAt: reset - serverTime(headers, now) + now };
    governor.learn(told);
    this.context.metrics.rateLimit(caller, told, now);
  }
}

type Reply = { status: number; headers: Headers; data: unknown } | { failure: unknown };

interface HttpError {
  response: { status: number; headers: Headers; data: unknown };
}

/** Octokit rejects with a response where one came, and without where none did. */
function isHttpError(error: unknown): error is HttpError {
  return (
    typeof error === 'object' && error !== null && 'response' in error && typeof error.response === 'object'
  );
}

/** The failure of a request to which no answer came. Its text may quote the request, so only codes are passed on. */
function networkError({ what, signal }: Exchange, failure: unknown): Error {
  if (signal?.aborted === true) return abortReason(signal);
  const codes: string[] = [];
  for (let cause = failure; typeof cause === 'object' && cause !== null && codes.length < 5;) {
    if (isTyped(cause)) return cause;
    if ('name' in cause && cause.name === 'TimeoutError') {
      return new TypedError('Transient', `${what}: no answer in time`, { reason: 'Timeout' });
    }
    if ('code' in cause && typeof cause.code === 'string') codes.push(cause.code);
    cause = 'cause' in cause ? cause.cause : undefined;
  }
  return new TypedError('Transient', `${what}: no answer (${codes.at(-1) ?? 'connection failed'})`, {
    reason: 'Network',
  });
}
