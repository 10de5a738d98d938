import { keyOf, keyString, messageOf, type KubeObject } from '@interlock/api';
import type { Logger } from '@interlock/base';
import type { CacheEvent } from './types.js';

type Handler<T> = (event: CacheEvent<T>) => void;

/** Sends events to handlers one after the other. A handler that throws is logged, and the others are still called. */
export class Subscribers<T extends KubeObject> {
  readonly #log: Logger;
  /** The array is replaced, never changed: an event goes to the handlers that were subscribed when it arrived. */
  #handlers: readonly Handler<T>[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Adds a handler.
   *
   * @param present objects that the handler receives first, as `added`
   */
  subscribe(handler: Handler<T>, present: readonly T[]): () => void {
    /* The same handler may be added twice, as separate subscriptions. */
    const own: Handler<T> = (event) => handler(event);
    this.#handlers = [...this.#handlers, own];
    for (const object of present) this.#call(own, { type: 'added', object, initial: true });
    return () => {
      this.#handlers = this.#handlers.filter((other) => other !== own);
    };
  }

  emit(event: CacheEvent<T>): void {
    for (const handler of this.#handlers) this.#call(handler, event);
  }

  #call(handler: Handler<T>, event: CacheEvent<T>): void {
    try {
      handler(event);
    } catch (error) {
      const fields = { key: keyString(keyOf(event.object)), event: event.type, error: messageOf(error) };
      this.#log.error(fields, 'A cache event handler failed');
    }
  }
}
