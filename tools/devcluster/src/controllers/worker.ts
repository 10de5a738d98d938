import type { Clock } from '@interlock/base';

const firstRetryMs = 100;
const longestRetryMs = 30_000;

/** Processes keys one after the other, each at most once at a time. A failing key is retried with increasing delays. */
export class Worker {
  readonly #clock: Clock;
  readonly #work: (key: string) => Promise<void>;
  readonly #pending = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Set<{ cancel(): void }>();
  #isRunning = false;
  #isStopped = false;

  constructor(clock: Clock, work: (key: string) => Promise<void>) {
    this.#clock = clock;
    this.#work = work;
  }

  /** Processes the key after the current turn of the event loop. */
  add(key: string): void {
    if (this.#isStopped) return;
    this.#pending.add(key);
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => void this.#run());
  }

  /** Processes the key after some milliseconds. */
  addAfter(key: string, ms: number): void {
    if (this.#isStopped) return;
    const timer = this.#clock.setTimeout(() => {
      this.#timers.delete(timer);
      this.add(key);
    }, ms);
    this.#timers.add(timer);
  }

  /** Discards all keys that wait. Work in progress continues to its end. */
  stop(): void {
    this.#isStopped = true;
    this.#pending.clear();
    for (const timer of this.#timers) timer.cancel();
  }

  async #run(): Promise<void> {
    for (const key of this.#pending) {
      this.#pending.delete(key);
      try {
        await this.#work(key);
        this.#failures.delete(key);
      } catch {
        this.#retry(key);
      }
    }
    this.#isRunning = false;
  }

  #retry(key: string): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.addAfter(key, Math.min(longestRetryMs, firstRetryMs * 2 ** failures));
  }
}
