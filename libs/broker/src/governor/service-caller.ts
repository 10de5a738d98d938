import { isTyped } from '@interlock/api';
import type { Clock, StopSignal } from '@interlock/base';
import { LRUCache } from 'lru-cache';
import type { AnswerHeaders, HttpAnswer, HttpCall } from '../http/exchange.js';
import type { HttpClient } from '../http/http-client.js';
import { refusalOfAnswer } from '../wire/refusal.js';
import { Governor, type CallPriority } from './governor.js';
import type { BrokerMetrics, Endpoint } from './metrics.js';
import { PollTurns } from './poll-turns.js';

export interface ServiceCall extends Pick<HttpCall, 'method' | 'url' | 'token' | 'body'> {
  endpoint: Endpoint;
  priority: CallPriority;
  /** The call and its object, for messages: `renew the lock of job 7`. */
  what: string;
  headers?: Readonly<Record<string, string>> | undefined;
  maxBytes?: number | undefined;
  timeoutMs?: number | undefined;
}

/** The part of a call that is kept until its answer. */
interface CallUnderWay extends Pick<ServiceCall, 'endpoint' | 'priority' | 'what'> {
  governor: Governor;
  /** In milliseconds of the monotonic clock. */
  startedAt: number;
}

interface ServiceCallerOptions {
  http: HttpClient;
  clock: Clock;
  random: () => number;
  hourlyBudget: number;
  metrics: BrokerMetrics;
  userAgent: string;
}

const defaultMaxBytes = 1 << 20;
const defaultTimeoutMs = 30_000;
const maxHosts = 256;

/** The calls of the REST API, which has its own limit: on GitHub Enterprise Server its host serves the jobs as well. */
const restEndpoints: ReadonlySet<Endpoint> = new Set(['appToken', 'register', 'runners', 'runs']);

/** Makes the calls of one installation: limits them by host and API, measures them, and throws typed refusals. */
export class ServiceCaller {
  readonly #options: ServiceCallerOptions;
  readonly #governors: LRUCache<string, Governor>;
  readonly #turns = new PollTurns();

  constructor(options: ServiceCallerOptions) {
    this.#options = options;
    this.#governors = new LRUCache({ max: maxHosts });
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** Resolves when a poll may start: after the answers that have arrived are handled. */
  pollTurn(): Promise<void> {
    return this.#turns.wait();
  }

  /**
   * Returns the answer to a successful call.
   *
   * @throws Refusal for every status that is not a success; also the errors of {@link HttpClient.send}
   */
  call(call: ServiceCall, signal?: StopSignal): Promise<HttpAnswer> {
    const governor = this.#governor(governedBy(call));
    return governor.tryAdmit(call.priority)
      ? this.#send(call, governor, signal)
      : this.#sendLater(call, governor, signal);
  }

  async #sendLater(
    call: ServiceCall,
    governor: Governor,
    signal: StopSignal | undefined,
  ): Promise<HttpAnswer> {
    const waitedMs = await governor.admit(call.priority, signal);
    if (waitedMs > 0) this.#options.metrics.waited(call.endpoint, waitedMs / 1000);
    return this.#send(call, governor, signal);
  }

  /** Sends a call. Not an async function: the call and its body would stay in memory during a long poll. */
  #send(call: ServiceCall, governor: Governor, signal: StopSignal | undefined): Promise<HttpAnswer> {
    const { http, metrics, clock } = this.#options;
    const { endpoint, priority, what } = call;
    metrics.remaining(governedBy(call), governor.remaining());
    const sent: CallUnderWay = { endpoint, priority, what, governor, startedAt: clock.monotonic() };
    return http.send(this.#httpCall(call), signal).then(
      (answer) => this.#answered(sent, answer),
      (error: unknown) => this.#failed(sent, error),
    );
  }

  #answered(call: CallUnderWay, answer: HttpAnswer): HttpAnswer {
    const { endpoint, what, governor } = call;
    this.#turns.markBusy();
    if (answer.status < 200 || answer.status > 299)
      this.#failed(call, refusalOfAnswer(what, answer, this.#options.clock.now()));
    governor.accepted();
    if (restEndpoints.has(endpoint)) this.#learn(governor, answer.headers);
    this.#measure(call, 'ok');
    return answer;
  }

  /** @throws the error */
  #failed(call: CallUnderWay, error: unknown): never {
    this.#measure(call, isTyped(error) ? error.reason : 'aborted');
    if (isTyped(error, 'RateLimited')) call.governor.refused(call.priority, error.retryAfterMs);
    throw error;
  }

  #measure({ endpoint, startedAt }: CallUnderWay, outcome: string): void {
    const { clock, metrics } = this.#options;
    metrics.called(endpoint, outcome, (clock.monotonic() - startedAt) / 1000);
  }

  #governor(governed: string): Governor {
    const { clock, random, hourlyBudget } = this.#options;
    const known = this.#governors.get(governed);
    if (known !== undefined) return known;
    const governor = new Governor({ clock, random, hourlyBudget });
    this.#governors.set(governed, governor);
    return governor;
  }

  /** Pauses the calls of the REST API if its answer states that none is left, because the next call would be refused. */
  #learn(governor: Governor, headers: AnswerHeaders): void {
    if (headers['x-ratelimit-remaining'] !== '0') return;
    const reset = Number(headers['x-ratelimit-reset']) * 1000;
    const date = typeof headers['date'] === 'string' ? Date.parse(headers['date']) : NaN;
    const waitMs = reset - (Number.isNaN(date) ? this.#options.clock.now() : date);
    if (waitMs > 0) governor.refused('renew', waitMs);
  }

  #httpCall(call: ServiceCall): HttpCall {
    const { method, url, token, body, maxBytes, timeoutMs } = call;
    const headers: Record<string, string> = {
      accept: 'application/json',
      /* Without this header, a server may use any content coding. */
      'accept-encoding': 'identity',
      'user-agent': this.#options.userAgent,
    };
    if (body !== undefined) headers['content-type'] = 'application/json';
    Object.assign(headers, call.headers);
    return {
      method,
      url,
      token,
      body,
      headers,
      maxBytes: maxBytes ?? defaultMaxBytes,
      timeoutMs: timeoutMs ?? defaultTimeoutMs,
    };
  }
}

/** Returns the key of the limit that applies to a call: of the REST API of a host, or of its other services. */
function governedBy({ endpoint, url }: Pick<ServiceCall, 'endpoint' | 'url'>): string {
  return restEndpoints.has(endpoint) ? `${url.host} REST` : url.host;
}
