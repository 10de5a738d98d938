import { isTyped } from '@interlock/api';
import { abortReason, type Clock, type StopSignal } from '@interlock/base';
import type { CallHandler, HttpAnswer, HttpCall } from '../http/exchange.js';
import type { HttpClient } from '../http/http-client.js';
import { isPage, refusalOfAnswer } from '../wire/refusal.js';
import type { CallPriority, Governor } from './governor.js';
import { governedBy, type Governors } from './governors.js';
import type { BrokerMetrics, Endpoint } from './metrics.js';
import { Turn, type PollTurns } from './poll-turns.js';

export interface ServiceCall extends Pick<HttpCall, 'method' | 'url' | 'token' | 'body'> {
  endpoint: Endpoint;
  priority: CallPriority;
  /** The call and its object, for messages: `renew the lock of job 7`. */
  what: string;
  headers?: Readonly<Record<string, string>> | undefined;
  maxBytes?: number | undefined;
  timeoutMs?: number | undefined;
}

/** What the calls of one installation share. */
export interface CallContext {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly metrics: BrokerMetrics;
  readonly governors: Governors;
  readonly turns: PollTurns;
}

const defaultMaxBytes = 1 << 20;
const defaultTimeoutMs = 30_000;

/** The caller of a call: one of its functions is called, once. */
interface Waiter {
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** A call that waits for its turn or its budget. */
export class PendingCall extends Turn implements Waiter {
  readonly #context: CallContext;
  readonly #create: () => ServiceCall;
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: unknown) => void;
  readonly #signal: StopSignal | undefined;

  /** @param create called when the call can start, so that no call is held that has not started */
  constructor(
    context: CallContext,
    create: () => ServiceCall,
    resolve: (answer: HttpAnswer) => void,
    reject: (error: unknown) => void,
    signal: StopSignal | undefined,
  ) {
    super();
    this.#context = context;
    this.#create = create;
    this.resolve = resolve;
    this.reject = reject;
    this.#signal = signal;
  }

  /** Sends the call as soon as its limit permits. Called once. */
  start(): void {
    try {
      if (this.#signal?.aborted === true) throw abortReason(this.#signal);
      const call = this.#create();
      const governor = this.#context.governors.of(call);
      if (governor.tryAdmit(call.priority)) this.#send(call, governor);
      else this.#sendLater(call, governor).catch(this.reject);
    } catch (error) {
      this.reject(error);
    }
  }

  async #sendLater(call: ServiceCall, governor: Governor): Promise<void> {
    const { governors } = this.#context;
    const onWait = (waitMs: number): void => governors.checkWait(call, waitMs);
    const waitedMs = await governor.admit(call.priority, this.#signal, onWait);
    if (waitedMs > 0) this.#context.metrics.waited(call.endpoint, waitedMs / 1000);
    this.#send(call, governor);
  }

  #send(call: ServiceCall, governor: Governor): void {
    const { http, metrics } = this.#context;
    metrics.remaining(governedBy(call), governor.remaining());
    http.start(httpCallOf(call), new SentCall(this.#context, call, governor, this), this.#signal);
  }
}

/** A call that waits for its answer: a small object, because there are many held polls. */
class SentCall implements CallHandler {
  readonly #context: CallContext;
  readonly #endpoint: Endpoint;
  readonly #priority: CallPriority;
  readonly #what: string;
  readonly #governor: Governor;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: unknown) => void;
  /** In milliseconds of the monotonic clock. */
  readonly #startedAt: number;

  constructor(context: CallContext, call: ServiceCall, governor: Governor, waiter: Waiter) {
    this.#context = context;
    this.#endpoint = call.endpoint;
    this.#priority = call.priority;
    this.#what = call.what;
    this.#governor = governor;
    this.#resolve = waiter.resolve;
    this.#reject = waiter.reject;
    this.#startedAt = context.clock.monotonic();
  }

  answered(answer: HttpAnswer): void {
    const { turns, clock, governors } = this.#context;
    turns.markBusy();
    /* A proxy may show its page, such as a login, with status 200: the service has not received the call. */
    if (answer.status < 200 || answer.status > 299 || isPage(answer.body)) {
      this.failed(refusalOfAnswer(this.#what, answer, clock.now()));
      return;
    }
    this.#governor.accepted();
    governors.learn(this.#endpoint, this.#governor, answer.headers);
    this.#measure('ok');
    this.#resolve(answer);
  }

  failed(error: unknown): void {
    this.#measure(isTyped(error) ? error.reason : 'aborted');
    if (isTyped(error, 'RateLimited')) this.#governor.refused(this.#priority, error.retryAfterMs);
    this.#reject(error);
  }

  #measure(outcome: string): void {
    const { clock, metrics } = this.#context;
    metrics.called(this.#endpoint, outcome, (clock.monotonic() - this.#startedAt) / 1000);
  }
}

function httpCallOf(call: ServiceCall): HttpCall {
  const { method, url, token, body, maxBytes, timeoutMs } = call;
  const headers: Record<string, string> = {
    accept: 'application/json',
    /* Without this header, a server may use any content coding. */
    'accept-encoding': 'identity',
    'user-agent': 'interlock-agc',
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
