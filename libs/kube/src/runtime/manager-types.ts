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
