import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const maxResults = 200;

/** Caches results by JSON values, because the clusters of a process have mostly the same definitions. */
export class JsonMemo<T extends NonNullable<unknown>> {
  readonly #results = new LRUCache<string, T>({ max: maxResults });

  /**
   * Returns the cached result of a JSON value with the same text, or computes it. Callers share the result and must not
   * change it.
   */
  of(value: unknown, compute: () => T): T {
    const key = createHash('sha256').update(JSON.stringify(value)).digest('base64');
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const result = compute();
    this.#results.set(key, result);
    return result;
  }
}
