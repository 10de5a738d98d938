import type { Kind, KubeObject, ObjectKey } from '@interlock/api';
import type { Clock } from '@interlock/base';
import type { CacheMetrics } from '../cache/metrics.js';
import type { Cache, CacheOptions, FollowedCache } from '../cache/types.js';
import type { Client } from '../client/types.js';
import type { Reconciler } from '../reconciler/types.js';
import type { Runnable } from './runnable.js';
import type { ControllerHandle } from './types.js';

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
  /** Metrics of the caches that are not shared. */
  readonly cacheMetrics: CacheMetrics;
  /** Returns the shared cache of a kind; the same options give the same cache. */
  cache<T extends KubeObject>(kind: Kind<T>, options?: CacheOptions<T>): Cache<T>;
  /**
   * Returns whether `cache` is older than the last write of the object by this process (`trackWrites`). It is called
   * for the reconciled object before each reconcile; call it for children that must not be created twice.
   */
  isStale<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey,
    cache: Pick<FollowedCache<T>, 'get' | 'progress'>,
  ): boolean;
  /** Adds a controller that is divided into observe, decide, act and conclude. */
  addReconciler<T extends KubeObject, Observed, Decision, Outcome>(
    reconciler: Reconciler<T, Observed, Decision, Outcome>,
  ): ControllerHandle;
  add(runnable: Runnable): void;
  /** Returns whether caches are synced and, with leader election, the elector works. */
  ready(): boolean;
  /**
   * Returns a worker that hangs: its reconcile has run for more than 15 minutes and three times its timeout. No other
   * reconcile of its key can start, so the process must be restarted.
   */
  hungWorker(): HungWorker | undefined;
  /** Runs until `signal` aborts or leadership is lost. Resolves after everything has stopped. */
  run(signal: AbortSignal): Promise<void>;
}
