import type { Kind, KubeObject, ObjectKey } from '@interlock/api';
import type { Clock, Logger } from '@interlock/base';
import type { OptionalCache } from '../cache/optional.js';
import type { CacheEvent, CacheOptions } from '../cache/types.js';

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
