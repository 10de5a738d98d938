import type { Kind, KubeObject, ObjectKey } from '@interlock/api';

/** Computes the values under which an object is found in an index. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** A read-only view of the objects of one kind, kept up to date by a watch. Objects are deep-frozen: copy before changing. */
export interface CacheReader<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  /** Objects in no particular order. */
  list(options?: { namespace?: string | undefined }): T[];
  /** Objects for which the named index yields `value`. Throws when no such index was added. */
  byIndex(index: string, value: string): T[];
}

export type CacheEvent<T> =
  | { type: 'added'; object: T; initial: boolean }
  | { type: 'updated'; object: T; old: T }
  | { type: 'deleted'; object: T };

export interface CacheOptions<T extends KubeObject> {
  /** Absent: all namespaces. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Applied to each decoded object, which it may change, before it is stored; the default drops `metadata.managedFields`. */
  transform?: (object: T) => T;
  /** Ask for `PartialObjectMetadata` only. */
  metadataOnly?: boolean;
}

/** How far a cache has come, for the rule that a cache older than one's own write is not acted on. */
export interface CacheProgress {
  /** Whether this version of the object is in the cache, or came through it lately. Versions are opaque. */
  hasSeen(key: ObjectKey, resourceVersion: string): boolean;
  /** Whether the removal of the object with this uid came through lately. */
  hasSeenRemoval(uid: string): boolean;
  /** When the last complete list was asked for; milliseconds since the epoch, 0 before the first. */
  readonly listedAt: number;
  /** When the server last said how far the watch has come; milliseconds since the epoch, 0 before. */
  readonly heardAt: number;
}

/** What a controller needs of the cache of the kind that it reconciles. */
export interface FollowedCache<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  /** Returns a function that removes the handler. A handler added after the start first gets what is there, as `added`. */
  subscribe(handler: (event: CacheEvent<T>) => void): () => void;
  readonly progress: CacheProgress;
}

/** A shared cache of one kind (client-go: SharedIndexInformer). */
export interface Cache<T extends KubeObject> extends CacheReader<T>, FollowedCache<T> {
  readonly kind: Kind<T>;
  /** Must be called before the cache starts. Adding the same name twice is an error. */
  addIndex(name: string, index: IndexFunction<T>): void;
  readonly hasSynced: boolean;
  /** Resolves at the first complete list; rejects when `signal` aborts. */
  waitForSync(signal: AbortSignal): Promise<void>;
  /** Runs list and watch until `signal` aborts; never rejects for a server that is away. */
  run(signal: AbortSignal): Promise<void>;
}
