import type { Clock, StopSignal } from '@interlock/base';
import type { HttpAnswer } from '../http/exchange.js';
import type { HttpClient } from '../http/http-client.js';
import { Governors } from './governors.js';
import type { BrokerMetrics } from './metrics.js';
import { PendingCall, type CallContext, type ServiceCall } from './pending-call.js';
import { PollTurns, Turn } from './poll-turns.js';

interface ServiceCallerOptions {
  http: HttpClient;
  clock: Clock;
  random: () => number;
  hourlyBudget: number;
  metrics: BrokerMetrics;
}

/** Makes the calls of one installation: limits them by host and API, measures them, and throws typed refusals. */
export class ServiceCaller {
  readonly #context: CallContext;

  constructor({ http, clock, random, hourlyBudget, metrics }: ServiceCallerOptions) {
    const governors = new Governors({ clock, random, hourlyBudget });
    this.#context = { http, clock, metrics, governors, turns: new PollTurns() };
  }

  get clock(): Clock {
    return this.#context.clock;
  }

  /** Resolves in a turn of its own, after the answers that have arrived are handled. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.#context.turns.add(new ResolvedTurn(resolve)));
  }

  /**
   * Returns the answer to a successful call.
   *
   * @throws Refusal for every status that is not a success, and for the page of a proxy; also the errors of {@link HttpClient.start}
   */
  call(call: ServiceCall, signal?: StopSignal): Promise<HttpAnswer> {
    return new Promise((resolve, reject) =>
      new PendingCall(this.#context, () => call, resolve, reject, signal).start(),
    );
  }

  /** Makes a poll in its turn. Returns and throws as {@link ServiceCaller.call}. */
  poll(create: () => ServiceCall, signal: StopSignal): Promise<HttpAnswer> {
    return new Promise((resolve, reject) =>
      this.#context.turns.add(new PendingCall(this.#context, create, resolve, reject, signal)),
    );
  }
}

class ResolvedTurn extends Turn {
  readonly #resolve: () => void;

  constructor(resolve: () => void) {
    super();
    this.#resolve = resolve;
  }

  start(): void {
    this.#resolve();
  }
}
