import { keyOf, keyString, messageOf, type KubeObject } from '@interlock/api';
import type { Logger } from '@interlock/base';
import type { CacheEvent } from './types.js';

type Handler<T> = (event: CacheEvent<T>) => void;

/** Hands events to handlers, one after the other; a handler that throws is logged and does not keep others from theirs. */
export class Subscribers<T extends KubeObject> {
  readonly #log: Logger;
  /** Replaced, never changed: an event goes to those who were there when it came. */
  #handlers: readonly Handler<T>[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param present objects that the handler gets first, as `added`. */
  subscribe(handler: Handler<T>, present: readonly T[]): () => void {
    /* A handler may be given twice; each subscription is one of its own. */
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
