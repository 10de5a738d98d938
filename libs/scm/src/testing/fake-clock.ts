import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../clock.js';

interface Timer {
  at: number;
  callback: () => void;
}

/** A clock that moves only when told. */
export class FakeClock implements Clock {
  #now: number;
  #setMs = 0;
  readonly #timers = new Set<Timer>();
  #timerSet: () => void = () => undefined;

  constructor(now = Date.parse('2026-01-01T00:00:00Z')) {
    this.#now = now;
  }

  now(): number {
    return this.#now + this.#setMs;
  }

  monotonic(): number {
    return this.#now;
  }

  /** Sets the clock forward, or back: no time passes. */
  set(byMs: number): void {
    this.#setMs += byMs;
  }

  setTimeout(callback: () => void, ms: number): { cancel(): void } {
    const timer = { at: this.#now + Math.max(0, ms), callback };
    this.#timers.add(timer);
    this.#timerSet();
    return { cancel: () => this.#timers.delete(timer) };
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves on, firing what becomes due in its order, and lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await nextTurn();
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = end;
    await nextTurn();
  }

  /** Steps the clock from timer to timer until `promise` settles; what needs no timer is waited for. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = promise.then(
      () => void (settled = true),
      () => void (settled = true),
    );
    while (!settled) {
      await nextTurn();
      const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
      if (next === undefined) await Promise.race([done, this.#nextTimer()]);
      else if (!settled) await this.advance(Math.max(0, next.at - this.#now));
    }
    return promise;
  }

  #nextTimer(): Promise<void> {
    return new Promise((resolve) => (this.#timerSet = resolve));
  }
}
