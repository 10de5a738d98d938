import type { Kind, KubeObject, ObjectKey } from '@interlock/api';
import type { Clock, Logger } from '@interlock/base';
import type { CacheMetrics } from '../cache/metrics.js';
import type { OptionalCache } from '../cache/optional.js';
import type { Cache, CacheEvent, CacheOptions, FollowedCache } from '../cache/types.js';
import type { Client } from '../client/types.js';
import type { Reconciler } from '../reconciler/types.js';

export type { Clock, Logger };

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

/** No result means: done until something changes. A thrown `TypedError` decides the retry by its type. */
export type Reconcile = (
  key: ObjectKey,
  context: ReconcileContext,
) => Promise<ReconcileResult | undefined> | Promise<void>;

export type Predicate<T> = (event: CacheEvent<T>) => boolean;

export interface WatchSource<T extends KubeObject> {
  kind: Kind<T>;
  cache?: CacheOptions<T>;
  predicate?: Predicate<T>;
  /** The keys to reconcile for an event; for updates it is called with the old and the new object. */
  map(object: T): readonly ObjectKey[];
}

export interface ControllerOptions<T extends KubeObject> {
  /** Used in metrics, logs and as the name of the queue. */
  name: string;
  for: {
    kind: Kind<T>;
    cache?: CacheOptions<T>;
    /** Instead of a shared cache: the kind need not be served. The manager has to run it (`Manager.add`). */
    optional?: OptionalCache<T>;
    predicate?: Predicate<T>;
  };
  /** Children whose controller owner reference names an object of the reconciled kind. */
  owns?: { kind: Kind; cache?: CacheOptions<KubeObject>; predicate?: Predicate<KubeObject> }[];
  watches?: WatchSource<KubeObject>[];
  reconcile: Reconcile;
  /** Reconciles at the same time, of different keys. Default 4; 16 with `external`. */
  concurrency?: number;
  /** Set when reconciles call servers that tenants choose: see {@link ExternalCalls}. */
  external?: ExternalCalls;
  /** Milliseconds until a reconcile is aborted. Default 120,000. */
  timeoutMs?: number;
  /** Per-key exponential backoff; defaults 500 ms to 5 min (Flux's habit, kind to SCMs). */
  backoff?: { baseMs: number; maxMs: number };
}

/**
 * Reconciles that wait for servers outside of the cluster. A namespace has no more than a quarter of the workers, and a host no
 * more than half; keys that failed at a host which does not answer their namespace wait until one attempt has succeeded.
 */
export interface ExternalCalls {
  /** The host that the reconcile of a key calls; undefined: none, or not known yet. Asked often; answer from memory. */
  hostOf(key: ObjectKey): string | undefined;
  /** Workers of one namespace at most. Default a quarter of all. */
  perTenant?: number;
}

/** A running controller's inlet for causes that are not Kubernetes events (timers, webhooks, git). */
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

export interface Runnable {
  name: string;
  /** Runs until `signal` aborts. A rejection stops the manager. */
  run(signal: AbortSignal): Promise<void>;
  /** Default true: started only while this process leads. */
  needsLeaderElection?: boolean;
}

/** A worker whose reconcile goes on long after its timeout. */
export interface HungWorker {
  controller: string;
  /** `namespace/name`, or `name`. */
  key: string;
  runningMs: number;
}

/** Owns the shared caches and runs controllers and other runnables in order; see `createManager`. */
export interface Manager {
  readonly client: Client;
  readonly clock: Clock;
  /** For caches that are not shared ones. */
  readonly cacheMetrics: CacheMetrics;
  /** The shared cache of a kind; the same options give the same cache. */
  cache<T extends KubeObject>(kind: Kind<T>, options?: CacheOptions<T>): Cache<T>;
  /**
   * Whether `cache` is older than this process's own last write of the object (`trackWrites`). The reconciled object
   * is asked for before each reconcile; ask for children that must not be made twice.
   */
  isStale<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey,
    cache: Pick<FollowedCache<T>, 'get' | 'progress'>,
  ): boolean;
  /** Adds a controller of observe, decide, act and conclude. */
  addReconciler<T extends KubeObject, Observed, Decision, Outcome>(
    reconciler: Reconciler<T, Observed, Decision, Outcome>,
  ): ControllerHandle;
  addController<T extends KubeObject>(options: ControllerOptions<T>): ControllerHandle;
  add(runnable: Runnable): void;
  /** True when caches are synced and, where elections are on, the elector works. */
  ready(): boolean;
  /**
   * Returns a worker that hangs: its reconcile goes on for more than 15 minutes, and three times its timeout. No other reconcile
   * of its key can start, so the process has to be restarted.
   */
  hungWorker(): HungWorker | undefined;
  /** Runs until `signal` aborts or leadership is lost; resolves after everything stopped. */
  run(signal: AbortSignal): Promise<void>;
}
