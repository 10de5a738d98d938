import type { Clock } from '@interlock/base';
import { LRUCache } from 'lru-cache';
import { keyOf, keyString, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import type { Client, WriteOptions } from '../client/types.js';
import type { FollowedCache } from './types.js';

type Followed<T extends KubeObject> = Pick<FollowedCache<T>, 'get' | 'progress'>;

export interface WriteTracker {
  /** The client for writes. `raw` requests are not tracked. */
  readonly client: Client;
  /**
   * Returns whether `cache` is older than the last write of this object by this process. A reconcile would then act on
   * an outdated state, so the key must wait.
   */
  isStale<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cache: Followed<T>): boolean;
}

interface Write {
  /** When the write was answered; milliseconds of the monotonic clock. */
  at: number;
  /** Opaque; absent for a deletion. */
  resourceVersion: string | undefined;
  uid: string | undefined;
  deletes: boolean;
  caughtUp: WeakSet<object>;
}

const trackedWrites = 10_000;
/**
 * A live cache that does not contain a write after this time never will: the object does not match its selector, or
 * other writes came between. The limit bounds how long a key waits. A cache that receives nothing stays stale.
 */
const settledMs = 60_000;

/** Remembers the last write of each object, and determines whether caches already contain it. */
export function trackWrites(client: Client, options: { clock: Clock }): WriteTracker {
  const { clock } = options;
  const writes = new LRUCache<string, Write>({ maxSize: trackedWrites, sizeCalculation: () => 1 });

  const written = <T extends KubeObject>(kind: Kind<T>, object: T, { dryRun }: WriteOptions = {}): T => {
    if (dryRun !== true) {
      const { resourceVersion, uid } = object.metadata;
      writes.set(
        writeKey(kind, keyOf(object)),
        newWrite(clock.monotonic(), { resourceVersion, uid, deletes: false }),
      );
    }
    return object;
  };

  return {
    client: {
      get: (kind, key, opts) => client.get(kind, key, opts),
      list: (kind, opts) => client.list(kind, opts),
      listPages: (kind, opts) => client.listPages(kind, opts),
      watch: (kind, opts) => client.watch(kind, opts),
      create: async (kind, object, opts) => written(kind, await client.create(kind, object, opts), opts),
      update: async (kind, object, opts) => written(kind, await client.update(kind, object, opts), opts),
      patch: async (kind, key, patch, opts) =>
        written(kind, await client.patch(kind, key, patch, opts), opts),
      apply: async (kind, object, opts) => written(kind, await client.apply(kind, object, opts), opts),
      async delete(kind, key, opts = {}) {
        await client.delete(kind, key, opts);
        if (opts.dryRun === true) return;
        const id = writeKey(kind, key);
        const now = clock.monotonic();
        const before = writes.get(id);
        /* A cache that does not show a created object yet does not show it after the deletion either, which proves
           nothing. */
        const pending =
          before !== undefined && now - before.at < settledMs ? before.resourceVersion : undefined;
        const uid = opts.uid ?? before?.uid;
        writes.set(id, newWrite(now, { resourceVersion: pending, uid, deletes: true }));
      },
      resolveKind: (apiVersion, kind, opts) => client.resolveKind(apiVersion, kind, opts),
      raw: (request, opts) => client.raw(request, opts),
      close: () => client.close(),
    },
    isStale(kind, key, cache) {
      const write = writes.get(writeKey(kind, key));
      if (write === undefined || write.caughtUp.has(cache)) return false;
      if (isBehind(cache, key, write)) return true;
      write.caughtUp.add(cache);
      return false;
    },
  };
}

function newWrite(at: number, write: Pick<Write, 'resourceVersion' | 'uid' | 'deletes'>): Write {
  return { ...write, at, caughtUp: new WeakSet() };
}

function writeKey(kind: Kind, key: ObjectKey): string {
  return `${kind.group}/${kind.kind}/${keyString(key)}`;
}

function isBehind<T extends KubeObject>(cache: Followed<T>, key: ObjectKey, write: Write): boolean {
  const { progress } = cache;
  if (progress.listedAt > write.at || progress.heardAt >= write.at + settledMs) return false;
  if (write.uid !== undefined && progress.hasSeenRemoval(write.uid)) return false;
  if (write.resourceVersion !== undefined && !progress.hasSeen(key, write.resourceVersion)) return true;
  return write.deletes && isStillThere(cache, key, write);
}

/** Returns whether the cache still contains the deleted object without a deletion timestamp. */
function isStillThere<T extends KubeObject>(cache: Followed<T>, key: ObjectKey, write: Write): boolean {
  const metadata = cache.get(key)?.metadata;
  if (metadata === undefined || metadata.deletionTimestamp !== undefined) return false;
  /* The answer to a deletion does not identify the object: it was the one that the cache still shows. */
  write.uid ??= metadata.uid;
  return metadata.uid === write.uid;
}
