import type { Kind, KubeObject, ObjectKey } from '@interlock/api';

export interface CallOptions {
  signal?: AbortSignal;
  /** Milliseconds until the call is given up, repeats included; the default depends on the verb. For a watch: until it is open. */
  timeoutMs?: number;
  /** `lease`: over connections that no other call can occupy, for what must be renewed in time. Not for a watch. */
  lane?: 'call' | 'lease';
}

export interface WriteOptions extends CallOptions {
  fieldManager?: string;
  dryRun?: boolean;
  subresource?: 'status' | 'scale';
}

export interface ApplyOptions extends WriteOptions {
  fieldManager: string;
  /** Take over fields that other managers own. Default true: a controller owns what it applies. */
  force?: boolean;
}

export interface ListOptions extends CallOptions {
  /** Absent: all namespaces. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Page size; all pages are read. Default 500. */
  limit?: number;
  resourceVersion?: string;
  /** Ask for `PartialObjectMetadata`: the objects carry their own `apiVersion` and `kind`, and nothing but metadata. */
  metadataOnly?: boolean;
}

export interface ListResult<T> {
  items: T[];
  resourceVersion: string;
}

export interface DeleteOptions extends WriteOptions {
  uid?: string;
  resourceVersion?: string;
  propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  gracePeriodSeconds?: number;
}

export type Patch =
  | { type: 'json'; patch: readonly unknown[] }
  | { type: 'merge'; patch: unknown }
  | { type: 'strategic'; patch: unknown };

export type WatchEvent<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  | { type: 'BOOKMARK'; resourceVersion: string; initialEventsEnd: boolean };

export interface WatchOptions extends CallOptions {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  resourceVersion: string;
  /** Seconds after which the server ends the watch. */
  timeoutSeconds?: number;
  /** As for lists. */
  metadataOnly?: boolean;
}

/** What an apply sends: type and name are filled in from the kind and the key; the rest is the manager's opinion. */
export type ApplyConfiguration = Record<string, unknown> & {
  metadata: { name: string; namespace?: string } & Record<string, unknown>;
};

/** A request outside of the kinds. */
export interface RawRequest {
  method: string;
  /** With the query. */
  path: string;
  body?: unknown;
  /** Of the body; default `application/json`. */
  contentType?: string;
  /** Returns the body of the answer as it is, such as a log; default: it is JSON. */
  as?: 'text';
}

/**
 * A Kubernetes API client, typed by kind. Every method throws a `TypedError` (class `ApiError`) that carries the
 * server's Status: `NotFound`, `Conflict`, `Invalid`, `Unauthorized`, `RateLimited`, `Transient`. A call that its
 * `signal` ends rejects with the signal's reason.
 */
export interface Client {
  get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, options?: CallOptions): Promise<T>;
  /** All objects; starts anew, once, when the server forgets the list between two pages. */
  list<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): Promise<ListResult<T>>;
  /** The same list page by page, for kinds with many objects. Throws 410 when the server forgets it between two pages. */
  listPages<T extends KubeObject>(kind: Kind<T>, options?: ListOptions): AsyncIterable<ListResult<T>>;
  /** Ends normally when the server closes the stream; throws `ApiError` for an ERROR event (410 is `NotFound`, reason `Expired`). */
  watch<T extends KubeObject>(kind: Kind<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  create<T extends KubeObject>(kind: Kind<T>, object: unknown, options?: WriteOptions): Promise<T>;
  update<T extends KubeObject>(kind: Kind<T>, object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<T>;
  /** Server-side apply. */
  apply<T extends KubeObject>(kind: Kind<T>, object: ApplyConfiguration, options: ApplyOptions): Promise<T>;
  delete(kind: Kind, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /**
   * Returns a kind as the API server serves it now; undefined when it does not.
   *
   * @param apiVersion `v1` or `apps/v1`; `Invalid` when it is not the version of an API
   */
  resolveKind(apiVersion: string, kind: string, options?: CallOptions): Promise<Kind | undefined>;
  /** A request outside of the kinds (subresources such as `token`, reviews, `/version`). */
  raw<R>(request: RawRequest, options?: CallOptions): Promise<R>;
  /** Closes the connections; calls under way are aborted. */
  close(): Promise<void>;
}
