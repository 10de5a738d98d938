import type { Kind, KubeObject, ObjectKey } from '@interlock/api';

/** Returns the values under which an index finds an object. */
export type IndexFunction<T> = (object: T) => readonly string[];

/**
 * A read-only view of the objects of one kind, kept up to date by a watch. Objects are deep-frozen: copy them before a
 * change.
 */
export interface CacheReader<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  /** Returns objects in no particular order. */
  list(options?: { namespace?: string | undefined }): T[];
  /**
   * Returns objects for which the named index has `value`.
   *
   * @throws Error if the index does not exist
   */
  byIndex(index: string, value: string): T[];
}

export type CacheEvent<T> =
  | { type: 'added'; object: T; initial: boolean }
  | { type: 'updated'; object: T; old: T }
  | { type: 'deleted'; object: T };

export interface CacheOptions<T extends KubeObject> {
  /** Absent for all namespaces. */
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /**
   * Applied to each decoded object, which it may change, before the object is stored. By default
   * `metadata.managedFields` is dropped.
   */
  transform?: (object: T) => T;
  /** Whether only `PartialObjectMetadata` is requested. */
  metadataOnly?: boolean;
}

/** The progress of a cache, which determines whether the cache is older than a write of this process. */
export interface CacheProgress {
  /** Returns whether this version of the object is in the cache, or was recently. Versions are opaque. */
  hasSeen(key: ObjectKey, resourceVersion: string): boolean;
  /** Returns whether the removal of the object with this uid was observed recently. */
  hasSeenRemoval(uid: string): boolean;
  /** When the last complete list was requested; milliseconds of the monotonic clock, 0 before the first one. */
  readonly listedAt: number;
  /**
   * When the server last reported the progress of the watch, or when a later list was requested; milliseconds of the
   * monotonic clock, 0 before the first report.
   */
  readonly heardAt: number;
}

/** The part of the cache of its kind that a controller needs. */
export interface FollowedCache<T extends KubeObject> {
  get(key: ObjectKey): T | undefined;
  /**
   * Adds a handler, and returns a function that removes it. A handler that is added after the start first receives the
   * existing objects, as `added`.
   */
  subscribe(handler: (event: CacheEvent<T>) => void): () => void;
  readonly progress: CacheProgress;
}

/** A shared cache of one kind (client-go: SharedIndexInformer). */
export interface Cache<T extends KubeObject> extends CacheReader<T>, FollowedCache<T> {
  readonly kind: Kind<T>;
  /** Adds an index. It must be called before the cache starts, once per name. */
  addIndex(name: string, index: IndexFunction<T>): void;
  readonly hasSynced: boolean;
  /** Resolves after the first complete list; rejects when `signal` aborts. */
  waitForSync(signal: AbortSignal): Promise<void>;
  /** Lists and watches until `signal` aborts. It never rejects because of an unavailable server. */
  run(signal: AbortSignal): Promise<void>;
}
