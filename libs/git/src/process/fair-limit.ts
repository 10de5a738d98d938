import { FairQueue } from '@interlock/base';

/** Runs at most `size` tasks at a time, at most `perOwner` of one owner; the others wait, and owners take turns. */
export class FairLimit {
  readonly #size: number;
  readonly #perOwner: number;
  /** Running tasks, by owner. */
  readonly #running = new Map<string, number>();
  readonly #waiting = new FairQueue<() => void>();
  #total = 0;

  constructor(size: number, perOwner = size) {
    this.#size = size;
    this.#perOwner = perOwner;
  }

  /** Returns how many more tasks of an owner may run at the same time, if there are places for them. */
  roomOf(owner: string): number {
    return this.#perOwner - (this.#running.get(owner) ?? 0);
  }

  /** Runs a task and returns its result. Rejects with the signal's reason when it aborts while the task waits. */
  run<T>(owner: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const start = () => {
        signal?.removeEventListener('abort', stop);
        resolve(this.#runNow(owner, task));
      };
      const stop = () => {
        this.#waiting.remove(owner, start);
        reject(signal?.reason as Error);
      };
      this.#waiting.add(owner, start);
      signal?.addEventListener('abort', stop, { once: true });
      this.#startNext();
    });
  }

  async #runNow<T>(owner: string, task: () => Promise<T>): Promise<T> {
    this.#count(owner, 1);
    try {
      return await task();
    } finally {
      this.#count(owner, -1);
      this.#startNext();
    }
  }

  #startNext(): void {
    while (this.#total < this.#size) {
      const next = this.#waiting.take((owner) => this.roomOf(owner) > 0);
      if (next === undefined) return;
      next.item();
    }
  }

  #count(owner: string, change: 1 | -1): void {
    const count = (this.#running.get(owner) ?? 0) + change;
    if (count === 0) this.#running.delete(owner);
    else this.#running.set(owner, count);
    this.#total += change;
  }
}
