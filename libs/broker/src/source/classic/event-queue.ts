import type { SourceEvent } from '../job-source.js';

type Next = IteratorResult<SourceEvent, undefined>;

const end: Next = { value: undefined, done: true };

/** The events of a source in their order, for one consumer. */
export class EventQueue {
  readonly #events: SourceEvent[] = [];
  /** Ends the wait of the consumer for the next event. */
  #resolve: ((next: Next) => void) | undefined;
  #isEnded = false;

  push(event: SourceEvent): void {
    if (this.#isEnded) return;
    if (this.#resolve !== undefined) {
      this.#wake({ value: event });
      return;
    }
    const last = this.#events.at(-1);
    /* Only the latest state is kept, so that frequent changes of the health do not fill the memory. */
    if (event.type === 'health' && last?.type === 'health') this.#events.pop();
    this.#events.push(event);
  }

  /** Ends the events when the consumer has taken the remaining ones. */
  end(): void {
    this.#isEnded = true;
    this.#wake(end);
  }

  /**
   * Returns the events. A generator is not used: its five promises for each event would delay the handling of an answer
   * in a burst.
   */
  read(): AsyncIterableIterator<SourceEvent> {
    const iterator: AsyncIterableIterator<SourceEvent> = {
      next: () => this.#next(),
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  #next(): Promise<Next> {
    const event = this.#events.shift();
    if (event !== undefined) return Promise.resolve({ value: event });
    if (this.#isEnded) return Promise.resolve(end);
    return new Promise((resolve) => (this.#resolve = resolve));
  }

  #wake(next: Next): void {
    this.#resolve?.(next);
    this.#resolve = undefined;
  }
}
