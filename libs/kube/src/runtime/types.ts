import type { Kind, KubeObject, ObjectKey } from '@interlock/api';
import type { Logger } from '@interlock/base';
import type { OptionalCache } from '../cache/optional.js';
import type { CacheEvent, CacheOptions } from '../cache/types.js';

export interface ReconcileContext {
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Milliseconds since the epoch, at the start of this reconcile. */
  readonly now: number;
}

export interface ReconcileResult {
  /** Milliseconds until the key is reconciled again without any event. */
  requeueAfterMs?: number;
}

/**
 * Reconciles a key. Without a result, the key is done until something changes. The type of a thrown `TypedError`
 * determines the retry.
 */
export type Reconcile = (
  key: ObjectKey,
  context: ReconcileContext,
) => Promise<ReconcileResult | undefined> | Promise<void>;

export type Predicate<T> = (event: CacheEvent<T>) => boolean;

export interface WatchSource<T extends KubeObject> {
  kind: Kind<T>;
  cache?: CacheOptions<T>;
  predicate?: Predicate<T>;
  /** Returns the keys to reconcile for an event; for updates it is called with the old and the new object. */
  map(object: T): readonly ObjectKey[];
}

export interface ControllerOptions<T extends KubeObject> {
  /** Used in metrics and logs, and as the name of the queue. */
  name: string;
  for: {
    kind: Kind<T>;
    cache?: CacheOptions<T>;
    /**
     * Used instead of a shared cache if the kind may not be served. It must be added to the manager (`Manager.add`).
     */
    optional?: OptionalCache<T>;
    predicate?: Predicate<T>;
  };
  /** Children whose controller owner reference names an object of the reconciled kind. */
  owns?: { kind: Kind; cache?: CacheOptions<KubeObject>; predicate?: Predicate<KubeObject> }[];
  watches?: WatchSource<KubeObject>[];
  reconcile: Reconcile;
  /** Number of concurrent reconciles of different keys. Default: 4; 16 with `external`. */
  concurrency?: number;
  /** Set if reconciles call servers that tenants choose: see {@link ExternalCalls}. */
  external?: ExternalCalls;
  /** Milliseconds until a reconcile is aborted. Default: 120,000. */
  timeoutMs?: number | undefined;
  /** Per-key exponential backoff; default: 500 ms to 5 min, as in Flux, which limits the load on SCMs. */
  backoff?: { baseMs: number; maxMs: number };
}

/**
 * Limits for reconciles that wait for servers outside of the cluster. A tenant (a namespace, or what `tenantOf` returns)
 * uses at most a quarter of the workers, and a host at most half of them. Keys that failed because a host does not answer their namespace wait
 * until one attempt has succeeded.
 */
export interface ExternalCalls {
  /**
   * Returns the host that the reconcile of a key calls; undefined if there is none, or it is not known yet. It is
   * called often and must answer from memory.
   */
  hostOf(key: ObjectKey): string | undefined;
  /**
   * Returns the tenant of a key of a cluster-scoped kind, as `hostOf` does; undefined if it is not known yet. Default: one
   * tenant, which may use all workers.
   */
  tenantOf?(key: ObjectKey): string | undefined;
  /** Maximum number of workers of one tenant. Default: a quarter of all. */
  perTenant?: number;
}

/** Adds keys to a running controller for causes other than Kubernetes events (timers, webhooks, git). */
export interface ControllerHandle {
  enqueue(key: ObjectKey, options?: { afterMs?: number }): void;
}

export interface LeaderElectionOptions {
  leaseName: string;
  namespace: string;
  identity: string;
  leaseDurationMs?: number;
  renewDeadlineMs?: number;
  retryPeriodMs?: number;
}
