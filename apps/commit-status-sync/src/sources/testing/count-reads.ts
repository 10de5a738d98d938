import type { KubeObject } from '@interlock/api';
import type { MemoryCache } from '@interlock/kube/testing';

/** A cache that counts the objects that it returns. */
interface CountedCache<T extends KubeObject> extends Pick<MemoryCache<T>, 'addIndex' | 'byIndex' | 'list'> {
  /** Number of objects that were returned. */
  reads: number;
}

/** Returns a view of a cache that counts the objects that it returns. */
export function countReads<T extends KubeObject>(cache: MemoryCache<T>): CountedCache<T> {
  const counted = (objects: T[]): T[] => {
    view.reads += objects.length;
    return objects;
  };
  const view: CountedCache<T> = {
    reads: 0,
    addIndex: (name, index) => cache.addIndex(name, index),
    byIndex: (index, value) => counted(cache.byIndex(index, value)),
    list: (options) => counted(cache.list(options)),
  };
  return view;
}
