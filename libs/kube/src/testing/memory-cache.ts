import { keyOf, keyString, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import type { Cache, CacheEvent, CacheProgress, IndexFunction } from '../cache/types.js';

/** A cache that a test fills by hand, in place of an API server. */
export class MemoryCache<T extends KubeObject> implements Cache<T> {
  readonly hasSynced = true;
  /** Never stale: everything that a test has set is visible. */
  readonly progress: CacheProgress = {
    listedAt: 0,
    heardAt: 0,
    hasSeen: () => true,
    hasSeenRemoval: () => true,
  };
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, IndexFunction<T>>();
  readonly #handlers = new Set<(event: CacheEvent<T>) => void>();

  constructor(
    readonly kind: Kind<T>,
    ...objects: T[]
  ) {
    objects.forEach((object) => this.set(object));
  }

  /** Adds or replaces an object, like a watch event. */
  set(object: T): void {
    const key = keyString(keyOf(object));
    const old = this.#objects.get(key);
    this.#objects.set(key, Object.freeze(object));
    this.#emit(
      old === undefined ? { type: 'added', object, initial: false } : { type: 'updated', object, old },
    );
  }

  remove(key: ObjectKey): void {
    const object = this.#objects.get(keyString(key));
    if (!this.#objects.delete(keyString(key)) || object === undefined) return;
    this.#emit({ type: 'deleted', object });
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(keyString(key));
  }

  list({ namespace }: { namespace?: string | undefined } = {}): T[] {
    const objects = [...this.#objects.values()];
    return namespace === undefined
      ? objects
      : objects.filter(({ metadata }) => metadata.namespace === namespace);
  }

  byIndex(index: string, value: string): T[] {
    const values = this.#indexes.get(index);
    if (values === undefined) throw new Error(`index ${index} does not exist`);
    return this.list().filter((object) => values(object).includes(value));
  }

  addIndex(name: string, index: IndexFunction<T>): void {
    if (this.#indexes.has(name)) throw new Error(`index ${name} already exists`);
    this.#indexes.set(name, index);
  }

  subscribe(handler: (event: CacheEvent<T>) => void): () => void {
    this.#handlers.add(handler);
    this.list().forEach((object) => handler({ type: 'added', object, initial: true }));
    return () => void this.#handlers.delete(handler);
  }

  waitForSync(): Promise<void> {
    return Promise.resolve();
  }

  run(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  #emit(event: CacheEvent<T>): void {
    this.#handlers.forEach((handler) => handler(event));
  }
}
