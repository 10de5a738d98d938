import type { SourceEvent } from '../job-source.js';

/** The events of a source in their order, for one consumer. */
export class EventQueue {
  readonly #events: SourceEvent[] = [];
  #wake: (() => void) | undefined;
  #isEnded = false;

  push(event: SourceEvent): void {
    if (this.#isEnded) return;
    const last = this.#events.at(-1);
    /* Only the latest state is kept, so that frequent changes of the health do not fill the memory. */
    if (event.type === 'health' && last?.type === 'health') this.#events.pop();
    this.#events.push(event);
    this.#wake?.();
  }

  /** Ends the events when the consumer has taken the remaining ones. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *read(): AsyncGenerator<SourceEvent, void, undefined> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) yield event;
      else if (this.#isEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
