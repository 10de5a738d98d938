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

  /** Runs a task and returns its result. Rejects with the signal's reason when it aborts while the task waits. */
  async run<T>(owner: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(owner, signal);
    try {
      return await task();
    } finally {
      this.#count(owner, -1);
      this.#startNext();
    }
  }

  async #enter(owner: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', stop);
        this.#count(owner, 1);
        resolve();
      };
      const stop = () => {
        this.#waiting.remove(owner, start);
        reject(signal?.reason);
      };
      this.#waiting.add(owner, start);
      signal?.addEventListener('abort', stop, { once: true });
      this.#startNext();
    });
  }

  #startNext(): void {
    while (this.#total < this.#size) {
      const next = this.#waiting.take((owner) => (this.#running.get(owner) ?? 0) < this.#perOwner);
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
