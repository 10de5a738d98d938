interface Batch<Item, Result> {
  items: Set<Item>;
  callers: number;
  controller: AbortController;
  result: Promise<Result>;
}

/**
 * Serves many callers with few runs: one batch runs at a time, and calls that arrive in the meantime are served together by
 * the next one. A call never joins a batch that has begun, so its result is at least as fresh as the call.
 */
export class Batcher<Item, Result> {
  #next: Batch<Item, Result> | undefined;
  #running: Promise<unknown> = Promise.resolve();

  readonly #serve: (items: ReadonlySet<Item>, signal: AbortSignal) => Promise<Result>;
  readonly #gather: () => Promise<void>;

  /** `gather`: what a batch with several callers waits for before it begins. */
  constructor(
    serve: (items: ReadonlySet<Item>, signal: AbortSignal) => Promise<Result>,
    gather: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.#serve = serve;
    this.#gather = gather;
  }

  /** Returns the result of the batch that served `items`; it is aborted once every caller in it has aborted. */
  async call(items: Iterable<Item>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    const batch = (this.#next ??= this.#open());
    for (const item of items) batch.items.add(item);
    batch.callers += 1;
    if (!signal) return batch.result;
    return new Promise<Result>((resolve, reject) => {
      const leave = () => {
        batch.callers -= 1;
        if (batch.callers === 0) {
          if (this.#next === batch) this.#next = undefined;
          batch.controller.abort(signal.reason);
        }
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      batch.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  #open(): Batch<Item, Result> {
    const before = this.#running;
    const batch: Omit<Batch<Item, Result>, 'result'> = {
      items: new Set(),
      callers: 0,
      controller: new AbortController(),
    };
    const begin = async () => {
      await before;
      await this.#gather();
      if (this.#next === opened) this.#next = undefined;
      batch.controller.signal.throwIfAborted();
      return this.#serve(batch.items, batch.controller.signal);
    };
    const result = begin();
    this.#running = result.catch(() => undefined);
    const opened: Batch<Item, Result> = { ...batch, result };
    return opened;
  }
}
