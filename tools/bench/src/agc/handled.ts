import { sharedNow } from './protocols.js';

/** The answers that have reached the handler of a client. */
export class Handled {
  #answers: [runner: number, at: number][] = [];
  #wake: (() => void) | undefined;

  take(runner: number): void {
    this.#answers.push([runner, sharedNow()]);
    this.#wake?.();
  }

  /** Resolves with the answers since the last call when their number is reached. @throws Error when they do not arrive in time */
  async wait(count: number, timeoutMs: number): Promise<[runner: number, at: number][]> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const fail = (): void => reject(new Error(`${this.#answers.length} of ${count} answers were handled`));
      timer = setTimeout(fail, timeoutMs);
    });
    try {
      while (this.#answers.length < count) {
        await Promise.race([late, new Promise<void>((resolve) => (this.#wake = resolve))]);
      }
    } finally {
      clearTimeout(timer);
    }
    const answers = this.#answers;
    this.#answers = [];
    return answers;
  }
}
