import type { Kind, KubeObject, ObjectKey } from '@interlock/api';

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /**
   * Milliseconds after which the call fails, including repeats; the default depends on the verb. For a watch, the
   * time until it is open.
   */
  timeoutMs?: number;
  /**
   * `lease` uses connections that no other call can occupy, for renewals that must be in time. It must not be used
   * for a watch.
   */
  lane?: 'call' | 'lease';
  /** Called before each repeat of the request; if it returns false, the call fails with the last error. */
  mayRepeat?: () => boolean;
}

export interface WriteOptions extends CallOptions {
  /** Default: the field manager of the client. */
  fieldManager?: string;
  dryRun?: boolean;
  subresource?: 'status' | 'scale';
}

export interface ApplyOptions extends WriteOptions {
  /** Whether to take over fields that other managers own. Default: true, because a controller owns what it applies. */
  force?: boolean | undefined;
}

export interface ListOptions extends CallOptions {
  /** Absent for all namespaces. */
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** Page size; all pages are read. With 0, there is one page. Default: 500. */
  limit?: number | undefined;
  resourceVersion?: string | undefined;
  /** Requests `PartialObjectMetadata`: objects with their `apiVersion`, `kind` and metadata only. */
  metadataOnly?: boolean;
}

export interface ListResult<T> {
  items: T[];
  resourceVersion: string;
}

export interface DeleteOptions extends WriteOptions {
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  propagationPolicy?: 'Foreground' | 'Background' | 'Orphan' | undefined;
  gracePeriodSeconds?: number | undefined;
}

export type Patch =
  | { type: 'json'; patch: readonly unknown[] }
  | { type: 'merge'; patch: unknown }
  | { type: 'strategic'; patch: unknown };

export type WatchEvent<T> =
  { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T } | { type: 'BOOKMARK'; resourceVersion: string };

export interface WatchOptions extends CallOptions {
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  resourceVersion: string;
  /** Seconds after which the server ends the watch. */
  timeoutSeconds?: number;
  /** Requests `PartialObjectMetadata`, as for lists. */
  metadataOnly?: boolean;
}

/**
 * An apply configuration. Type and name are added from the kind and the key; the other fields are owned by the
 * manager.
 */
export type ApplyConfiguration = Record<string, unknown> & {
  metadata: { name: string; namespace?: string | undefined } & Record<string, unknown>;
};

/** A request that does not concern a kind. */
export interface RawRequest {
  method: string;
  /** Path with the query. */
  path: string;
  body?: unknown;
  /** Content type of the body; default: `application/json`. */
  contentType?: string;
  /**
   * Whether the request may be repeated although the server may have carried it out, such as a review, which stores
   * nothing. Default: true for `GET`, `HEAD`, `PUT` and `DELETE`.
   */
  isIdempotent?: boolean;
  /** `text` for an answer whose body is returned unchanged, such as a log. By default, the body is parsed as JSON. */
  as?: 'text';
}

/**
 * A Kubernetes API client, typed by kind. Every method throws a `TypedError` (class `ApiError`) with the server's
 * Status: `NotFound`, `Conflict`, `Invalid`, `Unauthorized`, `RateLimited`, `Transient`. A call that is ended by its
 * `signal` rejects with the signal's reason.
 */
export interface Client {
  get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, options?: CallOptions): Promise<T>;
  /** Returns all objects, at once if the server forgets the list between two pages. */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<ListResult<T>>;
  /**
   * Returns the same list page by page, for kinds with many objects. Throws 410 if the server forgets it between two
   * pages.
   */
  listPages<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): AsyncIterable<ListResult<T>>;
  /**
   * Yields events. Ends normally when the server closes the stream; throws `ApiError` for an ERROR event (410 is
   * `NotFound`, reason `Expired`).
   */
  watch<T extends KubeObject>(kind: Kind<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  create<T extends KubeObject>(kind: Kind<T>, object: unknown, options?: WriteOptions): Promise<T>;
  update<T extends KubeObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  /** Applies an object by server-side apply. */
  apply<T extends KubeObject>(kind: Kind<T>, object: ApplyConfiguration, options?: ApplyOptions): Promise<T>;
  /** Deletes an object. Only a call with a uid or a resourceVersion is repeated after a failure. */
  delete(kind: Kind, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /**
   * Returns a kind as the API server currently serves it; undefined if the server does not serve it.
   *
   * @param apiVersion `v1` or `apps/v1`; `Invalid` if it is not an API version
   */
  resolveKind(apiVersion: string, kind: string, options?: CallOptions): Promise<Kind | undefined>;
  /** Sends a request that does not concern a kind (subresources such as `token`, reviews, `/version`). */
  raw<R>(request: RawRequest, options?: CallOptions): Promise<R>;
  /** Closes the connections; running calls are aborted. */
  close(): Promise<void>;
}
