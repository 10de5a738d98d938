import { setImmediate, setTimeout } from 'node:timers/promises';
import { FakeClock } from '@interlock/base/testing';
import type { HttpAnswer, HttpClient } from '@interlock/broker';
import type { Client } from '@interlock/kube';

const stepMs = 1_000;
/** The number of turns of the event loop without a call in progress after which the consequences of the last calls have begun. */
const quietTurns = 8;
/** The time between two checks: events that are not calls, such as the start of a pod, follow the time of the machine. */
const pollMs = 10;

/** The time of a service and of replicas in this process, which does not advance while one of their calls is in progress. */
export class SimulatedTime {
  readonly clock = new FakeClock(Date.now());
  #underWay = 0;
  /** Whether calls stop the simulated time; calls to a server that does not respond would stop it forever. */
  isHeldByCalls = true;

  /** Lets time pass, a second at a time. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      await this.#quiet();
      await this.clock.advance(Math.min(stepMs, left));
    }
    await this.#quiet();
  }

  /** Lets time pass slowly, because pods and runners follow the time of the machine. */
  async passSlowly(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      await this.pass(Math.min(stepMs, left));
      await setTimeout(2 * pollMs);
    }
  }

  /**
   * Lets time pass until a check passes.
   *
   * @returns the milliseconds that passed
   * @throws what the check threw last when it does not pass within `limitMs`
   */
  async until(check: () => void | Promise<void>, limitMs: number): Promise<number> {
    for (let passed = 0; ; passed += stepMs) {
      try {
        await check();
        return passed;
      } catch (error) {
        if (passed >= limitMs) throw error;
      }
      await this.pass(stepMs);
      await setTimeout(pollMs);
    }
  }

  /** Returns a client of the API server whose calls, except for watches, hold the time. */
  holdFor(client: Client): Client {
    return {
      watch: (...args) => client.watch(...args),
      resolveKind: (...args) => client.resolveKind(...args),
      raw: (...args) => client.raw(...args),
      close: () => client.close(),
      get: (...args) => this.#track(client.get(...args)),
      list: (...args) => this.#track(client.list(...args)),
      listPages: (...args) => this.#trackEach(client.listPages(...args)),
      create: (...args) => this.#track(client.create(...args)),
      update: (...args) => this.#track(client.update(...args)),
      patch: (...args) => this.#track(client.patch(...args)),
      apply: (...args) => this.#track(client.apply(...args)),
      delete: (...args) => this.#track(client.delete(...args)),
    };
  }

  /** Returns a client of the service whose calls, except for polls, hold the time. */
  holdForHttp(http: HttpClient): HttpClient {
    const isPoll = (url: Pick<URL, 'pathname'>): boolean => url.pathname.endsWith('/message');
    return {
      start: (call, handler, signal) => {
        if (isPoll(call.url)) return http.start(call, handler, signal);
        const ended = (): void => void (this.#underWay -= 1);
        this.#underWay += 1;
        const counted = {
          answered: (answer: HttpAnswer) => {
            ended();
            handler.answered(answer);
          },
          failed: (error: unknown) => {
            ended();
            handler.failed(error);
          },
        };
        http.start(call, counted, signal);
      },
      close: () => http.close(),
    };
  }

  async *#trackEach<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = items[Symbol.asyncIterator]();
    for (;;) {
      const next = await this.#track(iterator.next());
      if (next.done === true) return;
      yield next.value;
    }
  }

  async #track<T>(call: Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await call;
    } finally {
      this.#underWay -= 1;
    }
  }

  async #quiet(): Promise<void> {
    if (!this.isHeldByCalls) {
      await setTimeout(1);
      return;
    }
    for (let turns = 0; turns < quietTurns; turns++) {
      await setImmediate();
      if (this.#underWay > 0) turns = 0;
    }
  }
}
