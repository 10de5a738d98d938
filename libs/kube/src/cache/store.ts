import { keyOf, keyString, type KubeObject, type ObjectKey } from '@interlock/api';
import type { IndexFunction } from './types.js';

type Bucket<T> = Map<string, T>;

interface Index<T> {
  values: IndexFunction<T>;
  buckets: Map<string, Bucket<T>>;
}

/** Objects by key, with indexes that follow each change. */
export class Store<T extends KubeObject> {
  readonly #objects: Bucket<T> = new Map();
  readonly #byNamespace: Index<T> = {
    values: (object) => [object.metadata.namespace ?? ''],
    buckets: new Map(),
  };
  readonly #indexes = new Map<string, Index<T>>();

  addIndex(name: string, values: IndexFunction<T>): void {
    if (this.#indexes.has(name)) throw new Error(`index ${name} already exists`);
    this.#indexes.set(name, { values, buckets: new Map() });
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(keyString(key));
  }

  list(namespace: string | undefined): T[] {
    const objects = namespace === undefined ? this.#objects : this.#byNamespace.buckets.get(namespace);
    return objects === undefined ? [] : [...objects.values()];
  }

  byIndex(name: string, value: string): T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new Error(`index ${name} does not exist`);
    return [...(index.buckets.get(value)?.values() ?? [])];
  }

  /** Rethrows the error of an index function without having changed anything. */
  set(object: T): void {
    const key = keyString(keyOf(object));
    const links = this.#allIndexes().map((index) => ({ index, values: index.values(object) }));
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const { index, values } of links) {
      if (old !== undefined) unlink(index, key, old);
      for (const value of values) link(index, value, key, object);
    }
  }

  delete(object: T): void {
    const key = keyString(keyOf(object));
    const old = this.#objects.get(key);
    if (old === undefined) return;
    this.#objects.delete(key);
    for (const index of this.#allIndexes()) unlink(index, key, old);
  }

  #allIndexes(): Index<T>[] {
    return [this.#byNamespace, ...this.#indexes.values()];
  }
}

function link<T>(index: Index<T>, value: string, key: string, object: T): void {
  let bucket = index.buckets.get(value);
  if (bucket === undefined) index.buckets.set(value, (bucket = new Map()));
  bucket.set(key, object);
}

function unlink<T>(index: Index<T>, key: string, object: T): void {
  for (const value of index.values(object)) {
    const bucket = index.buckets.get(value);
    bucket?.delete(key);
    if (bucket?.size === 0) index.buckets.delete(value);
  }
}
