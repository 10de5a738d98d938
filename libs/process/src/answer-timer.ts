/** A timer that fires this much later than it should shows that this process did not run. */
const stalledMs = 1_000;

/**
 * Calls back when another process has not answered in time. If this process itself did not run in the meantime, for
 * example because its machine was paused, the answer may have arrived unread: timers fire before anything is read. The
 * time then starts once more.
 */
export class AnswerTimer {
  readonly #ms: number;
  readonly #onOver: () => void;
  #timer: NodeJS.Timeout;

  constructor(ms: number, onOver: () => void) {
    this.#ms = ms;
    this.#onOver = onOver;
    const dueAt = performance.now() + ms;
    this.#timer = setTimeout(() => this.#expire(dueAt), ms);
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  #expire(dueAt: number): void {
    if (performance.now() - dueAt < stalledMs) this.#onOver();
    else this.#timer = setTimeout(this.#onOver, this.#ms);
  }
}
