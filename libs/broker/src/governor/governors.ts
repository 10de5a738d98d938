import { TypedError } from '@interlock/api';
import type { Clock } from '@interlock/base';
import { LRUCache } from 'lru-cache';
import type { AnswerHeaders, CallUrl } from '../http/exchange.js';
import { rateLimitResetMs } from '../wire/headers.js';
import { Governor } from './governor.js';
import type { Endpoint } from './metrics.js';

interface GovernorsOptions {
  clock: Clock;
  random: () => number;
  hourlyBudget: number;
}

interface GovernedCall {
  endpoint: Endpoint;
  url: CallUrl;
}

const maxHosts = 256;
/** The longest time that a call of the REST API waits for its limit; such a limit may last an hour, which the caller has to report. */
const longestRestWaitMs = 60_000;
const minuteMs = 60_000;

/** The reason of the error of a call that would wait too long for its limit. */
export const limitUsedUp = 'LimitUsedUp';

/** The calls of the REST API, which has its own limit: on GitHub Enterprise Server its host serves the jobs as well. */
const restEndpoints: ReadonlySet<Endpoint> = new Set(['appToken', 'register', 'runners', 'runs']);

/** The limits of the calls of one installation: each host has one, and another for its REST API. */
export class Governors {
  readonly #options: GovernorsOptions;
  readonly #byName: LRUCache<string, Governor>;

  constructor(options: GovernorsOptions) {
    this.#options = options;
    this.#byName = new LRUCache({ max: maxHosts });
  }

  /** Returns the limit that applies to a call. */
  of(call: GovernedCall): Governor {
    const name = governedBy(call);
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const governor = new Governor(this.#options);
    this.#byName.set(name, governor);
    return governor;
  }

  /** Checks how long a call waits for its limit. @throws TypedError `RateLimited` when this is too long to wait for silently */
  checkWait(call: GovernedCall & { what: string }, waitMs: number): void {
    if (waitMs <= longestRestWaitMs || !restEndpoints.has(call.endpoint)) return;
    const at = Math.ceil((this.#options.clock.now() + waitMs) / minuteMs) * minuteMs;
    const until = new Date(at).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
    const message = `${call.what}: the rate limit of ${governedBy(call)} is used up; calls continue at ${until}Z`;
    throw new TypedError('RateLimited', message, { reason: limitUsedUp, retryAfterMs: waitMs });
  }

  /** Pauses the calls of the REST API if an answer of it states that none is left, because the next call would be refused. */
  learn(endpoint: Endpoint, governor: Governor, headers: AnswerHeaders): void {
    if (!restEndpoints.has(endpoint)) return;
    const waitMs = rateLimitResetMs(headers, this.#options.clock.now()) ?? 0;
    if (waitMs > 0) governor.refused('renew', waitMs);
  }
}

/** Returns the name of the limit that applies to a call: a host, or a host and `REST`. */
export function governedBy({ endpoint, url }: GovernedCall): string {
  return restEndpoints.has(endpoint) ? `${url.host} REST` : url.host;
}
