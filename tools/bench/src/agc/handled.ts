import { sharedNow } from './protocols.js';

/** The answers that have reached the handler of a client. */
export class Handled {
  /** Two lists of numbers: an object for each answer would count as memory of the client. */
  #runners: number[] = [];
  #times: number[] = [];
  /** Called once, at the requested number, because work for each answer would count as work of the client. */
  #reached: { count: number; resolve: () => void } | undefined;

  take(runner: number): void {
    this.#runners.push(runner);
    this.#times.push(sharedNow());
    if (this.#reached !== undefined && this.#runners.length >= this.#reached.count) this.#reached.resolve();
  }

  /** Resolves with the answers since the last call when their number is reached. @throws Error when they do not arrive in time */
  async wait(count: number, timeoutMs: number): Promise<[runner: number, at: number][]> {
    if (this.#runners.length < count) await this.#wait(count, timeoutMs);
    const [runners, times] = [this.#runners, this.#times];
    this.#runners = [];
    this.#times = [];
    return runners.map((runner, index) => [runner, times[index] ?? 0]);
  }

  async #wait(count: number, timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#reached = { count, resolve };
        const fail = (): void =>
          reject(new Error(`${this.#runners.length} of ${count} answers were handled`));
        timer = setTimeout(fail, timeoutMs);
      });
    } finally {
      clearTimeout(timer);
      this.#reached = undefined;
    }
  }
}
