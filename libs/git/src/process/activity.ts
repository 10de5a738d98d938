import { setTimeout as sleep } from 'node:timers/promises';

/** Counts tasks under way, so that others can wait until all of them have come to a rest. */
export class Activity {
  #running = 0;
  readonly #atRest = new Set<() => void>();

  /** Returns what ends the task that begins now; ending it again does nothing. */
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

  /** Resolves when nothing runs and nothing follows at once on what ran last, or after `maxMs`. */
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
