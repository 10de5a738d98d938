import { keyString, type ObjectKey } from '@interlock/api';
import { LRUCache } from 'lru-cache';
import type { Clock } from '@interlock/base';

type Wake = (binding: ObjectKey) => void;

/** Minimum delay of a wake, so that related changes arrive before it; in milliseconds. */
const soonMs = 100;
const remembered = 1_000;

/** Combines wakes of the same binding, so that a thousand changed targets cause only a few reconciles. */
export class Wakes {
  readonly #pending = new Set<string>();
  readonly #last = new LRUCache<string, number>({ max: remembered });
  readonly #handlers: Wake[] = [];

  readonly #clock: Clock;
  readonly #intervalMs: number;

  /**
   * Creates an empty set of wakes.
   *
   * @param intervalMs minimum interval between two wakes of a binding
   */
  constructor(clock: Clock, intervalMs: number) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  subscribe(wake: Wake): void {
    this.#handlers.push(wake);
  }

  /** Wakes a binding soon, and only once however often it is called until then. */
  add(binding: ObjectKey): void {
    const key = keyString(binding);
    if (this.#pending.has(key)) return;
    this.#pending.add(key);
    const last = this.#last.get(key) ?? -Infinity;
    const delayMs = Math.max(soonMs, last + this.#intervalMs - this.#clock.monotonic());
    this.#clock.setTimeout(() => {
      this.#pending.delete(key);
      this.#last.set(key, this.#clock.monotonic());
      for (const wake of this.#handlers) wake(binding);
    }, delayMs);
  }
}
