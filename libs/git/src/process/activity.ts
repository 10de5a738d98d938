import { setTimeout as sleep } from 'node:timers/promises';

/** Counts running tasks, so that callers can wait until all of them have ended. */
export class Activity {
  #running = 0;
  readonly #atRest = new Set<() => void>();

  /** Records the start of a task. Returns the function that ends it; further calls have no effect. */
  begin(): () => void {
    let isOver = false;
    this.#running += 1;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#running -= 1;
      if (this.#running === 0) setImmediate(() => this.#notify());
    };
  }

  /** Resolves when nothing runs and no task follows immediately, or after `maxMs`. */
  async rest(maxMs: number): Promise<void> {
    const done = new AbortController();
    const rested = new Promise<void>((resolve) => {
      this.#atRest.add(resolve);
      setImmediate(() => this.#notify());
      done.signal.addEventListener('abort', () => this.#atRest.delete(resolve));
    });
    const late = sleep(maxMs, undefined, { signal: done.signal }).catch(() => undefined);
    await Promise.race([rested, late]);
    done.abort();
  }

  #notify(): void {
    if (this.#running > 0) return;
    for (const resolve of this.#atRest) resolve();
    this.#atRest.clear();
  }
}
