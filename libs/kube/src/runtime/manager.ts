import { randomUUID } from 'node:crypto';
import { TypedError, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import { aborted, delay, onAbort, type Clock, type Logger } from '@interlock/base';
import type { Tracer } from '@opentelemetry/api';
import { noCacheMetrics, type CacheMetrics } from '../cache/metrics.js';
import { sharedCaches, type SharedCaches } from '../cache/shared-caches.js';
import type { Cache, CacheOptions, FollowedCache } from '../cache/types.js';
import { trackWrites, type WriteTracker } from '../cache/write-tracker.js';
import type { Client } from '../client/types.js';
import { reconcileOf } from '../reconciler/run.js';
import type { Reconciler } from '../reconciler/types.js';
import { Controller } from './controller.js';
import type { EventRecorder } from './events.js';
import { guardWrites } from './guarded-client.js';
import { LeaderElector } from './leader-election.js';
import { linkSignals } from './link-signals.js';
import { noMetrics, type RuntimeMetrics } from './metrics-types.js';
import { RunnableGroup } from './runnable-group.js';
import type { HungWorker, Manager } from './manager-types.js';
import type { Runnable } from './runnable.js';
import type { ControllerHandle, ControllerOptions, LeaderElectionOptions } from './types.js';

export interface ManagerOptions {
  client: Client;
  clock: Clock;
  log: Logger;
  metrics?: RuntimeMetrics;
  cacheMetrics?: CacheMetrics;
  /** If absent, this process always leads. */
  leaderElection?: LeaderElectionOptions;
  /** Milliseconds that running reconciles and runnables have to finish. Default: 30,000. */
  gracePeriodMs?: number;
  /** Milliseconds for the first lists. Default: 120,000. */
  cacheSyncTimeoutMs?: number;
  /** Receives failed reconciles; run by the manager. */
  events?: EventRecorder;
  tracer?: Tracer;
  /** Yields numbers in [0, 1). Default: `Math.random`. */
  random?: () => number;
  /** Yields reconcileIDs. Default: random UUIDs. */
  newId?: () => string;
}

/** Milliseconds after which aborted work that does not settle is abandoned. */
const killedWaitMs = 500;

/**
 * Returns a manager. Its `run` starts, in this order: caches, runnables that need no leadership, the election and, once
 * this process leads, the other runnables and the controllers; it stops them in reverse order. `run` rejects if a
 * runnable fails, the caches do not sync, the lease is lost or the grace period has elapsed; the process must exit
 * then.
 */
export function createManager(options: ManagerOptions): Manager {
  return new KubeManager(options);
}

/**
 * The manager. Its controllers also accept a plain reconcile function, which only the reconcilers of this library use.
 */
export class KubeManager implements Manager {
  readonly client: Client;
  readonly clock: Clock;
  readonly cacheMetrics: CacheMetrics;
  readonly #options: ManagerOptions;
  readonly #log: Logger;
  readonly #metrics: RuntimeMetrics;
  readonly #random: () => number;
  readonly #tracker: WriteTracker;
  readonly #caches: SharedCaches;
  readonly #elector: LeaderElector | undefined;
  readonly #controllers: Pick<Controller<KubeObject>, 'name' | 'run' | 'hungWorker'>[] = [];
  readonly #runnables: Runnable[] = [];
  /** Aborts when no part of this process may act any more. */
  readonly #kill = new AbortController();
  readonly #acquired = new AbortController();
  readonly #stopping = new AbortController();
  #failure: { error: unknown } | undefined;
  #started = false;

  constructor(options: ManagerOptions) {
    const { client, clock, log, cacheMetrics = noCacheMetrics } = options;
    this.#options = options;
    this.clock = clock;
    this.cacheMetrics = cacheMetrics;
    this.#log = log;
    this.#metrics = options.metrics ?? noMetrics;
    this.#random = options.random ?? Math.random;
    this.#elector = options.leaderElection && this.#createElector(options.leaderElection);
    this.#tracker = trackWrites(client, { clock });
    this.client = guardWrites(this.#tracker.client, {
      mayWrite: () => this.#elector === undefined || !this.#acquired.signal.aborted || this.#elector.leads,
      revoked: this.#kill.signal,
    });
    this.#caches = sharedCaches(client, {
      clock,
      log,
      random: this.#random,
      metrics: cacheMetrics,
    });
    if (options.events) this.add(options.events);
  }

  cache<T extends KubeObject>(kind: Kind<T>, options?: CacheOptions<T>): Cache<T> {
    return this.#caches.get(kind, options);
  }

  isStale<T extends KubeObject>(
    kind: Kind<T>,
    key: ObjectKey,
    cache: Pick<FollowedCache<T>, 'get' | 'progress'>,
  ): boolean {
    return this.#tracker.isStale(kind, key, cache);
  }

  addReconciler<T extends KubeObject, Observed, Decision, Outcome>(
    reconciler: Reconciler<T, Observed, Decision, Outcome>,
  ): ControllerHandle {
    const { kind, cache, optional } = reconciler.for;
    const { client, clock } = this;
    const { events, tracer } = this.#options;
    const parts = { kind, cache: optional ?? this.cache(kind, cache), client, clock, events, tracer };
    return this.addController({ ...reconciler, reconcile: reconcileOf(reconciler, parts) });
  }

  /** Adds a controller with a plain reconcile function, for {@link addReconciler} and for tests of this library. */
  addController<T extends KubeObject>(options: ControllerOptions<T>): ControllerHandle {
    this.#refuseWhenStarted(options.name);
    const { events, tracer, newId = randomUUID } = this.#options;
    const controller = new Controller(options, {
      cache: (kind, cacheOptions) => this.cache(kind, cacheOptions),
      clock: this.clock,
      log: this.#log,
      metrics: this.#metrics,
      random: this.#random,
      newId,
      isStale: (kind, key, cache) => this.isStale(kind, key, cache),
      events,
      tracer,
    });
    this.#controllers.push(controller);
    return controller;
  }

  add(runnable: Runnable): void {
    this.#refuseWhenStarted(runnable.name);
    this.#runnables.push(runnable);
  }

  hungWorker(): HungWorker | undefined {
    for (const controller of this.#controllers) {
      const hung = controller.hungWorker();
      if (hung !== undefined) return hung;
    }
    return undefined;
  }

  ready(): boolean {
    if (!this.#started || this.#stopping.signal.aborted) return false;
    return this.#caches.hasSynced && this.#elector?.healthy !== false;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#refuseWhenStarted('run');
    this.#started = true;
    const off = onAbort(signal, () => this.#stopping.abort());
    const fail = (error: unknown): void => this.#fail(error);
    const groups = {
      caches: new RunnableGroup(this.#log, fail),
      background: new RunnableGroup(this.#log, fail),
      election: new RunnableGroup(this.#log, fail),
      leading: new RunnableGroup(this.#log, fail),
    };
    try {
      await this.#start(groups);
      await aborted(this.#stopping.signal);
    } catch (error) {
      this.#fail(error);
    }
    off();
    await this.#stop(groups);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #start({ caches, background, election, leading }: Groups): Promise<void> {
    caches.start({ name: 'caches', run: (until) => this.#caches.run(until) });
    await this.#sync();
    if (this.#stopping.signal.aborted) return;
    for (const runnable of this.#runnables) {
      if (runnable.needsLeaderElection === false) background.start(runnable);
    }
    const elector = this.#elector;
    if (elector === undefined) this.#acquired.abort();
    else election.start({ name: 'leader election', run: (until) => this.#elect(elector, until) });
    await Promise.race([aborted(this.#acquired.signal), aborted(this.#stopping.signal)]);
    if (this.#stopping.signal.aborted) return;
    for (const runnable of this.#runnables) {
      if (runnable.needsLeaderElection !== false) leading.start(runnable);
    }
    for (const controller of this.#controllers) {
      leading.start({ name: controller.name, run: (until) => controller.run(until, this.#kill.signal) });
    }
  }

  async #sync(): Promise<void> {
    const timeoutMs = this.#options.cacheSyncTimeoutMs ?? 120_000;
    const timeout = new AbortController();
    const timer = this.clock.setTimeout(
      () => timeout.abort(new TypedError('Transient', `The caches did not sync within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    const { signal, unlink } = linkSignals(timeout.signal, this.#stopping.signal);
    try {
      await this.#caches.waitForSync(signal);
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error;
    } finally {
      unlink();
      timer.cancel();
    }
  }

  async #elect(elector: LeaderElector, until: AbortSignal): Promise<void> {
    if ((await elector.run(until)) === 'released') return;
    const error = new TypedError('Conflict', 'Another process may lead now.', { reason: 'LeadershipLost' });
    this.#kill.abort(error);
    throw error;
  }

  /** Stops the work first, then the lease that it requires, so that the next leader can start at once. */
  async #stop({ caches, background, election, leading }: Groups): Promise<void> {
    const gracePeriodMs = this.#options.gracePeriodMs ?? 30_000;
    const over = new AbortController();
    const grace = this.clock.setTimeout(() => {
      this.#fail(new Error(`stopping took longer than the grace period of ${gracePeriodMs} ms`));
      this.#kill.abort();
      over.abort();
    }, gracePeriodMs);
    await this.#unless(this.#kill.signal, leading.stop());
    this.#kill.abort();
    await Promise.all([election.stop(), this.#unless(over.signal, background.stop())]);
    grace.cancel();
    await caches.stop();
  }

  /** Waits for `stopped`, but only for a short time after `killed` aborts. */
  async #unless(killed: AbortSignal, stopped: Promise<void>): Promise<void> {
    const settled = new AbortController();
    const late = aborted(killed).then(() => delay(this.clock, killedWaitMs, settled.signal));
    await Promise.race([stopped, late]);
    settled.abort();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stopping.abort();
  }

  #createElector(election: LeaderElectionOptions): LeaderElector {
    const { client, clock, log } = this.#options;
    const name = election.leaseName;
    this.#metrics.leader(name, false);
    return new LeaderElector({
      ...election,
      client,
      clock,
      log,
      random: this.#random,
      onAcquired: () => {
        this.#metrics.leader(name, true);
        this.#acquired.abort();
      },
      onLost: () => this.#metrics.leader(name, false),
      onSlowPath: () => this.#metrics.leaderSlowPath(name),
    });
  }

  #refuseWhenStarted(what: string): void {
    if (this.#started) throw new Error(`the manager is already running; it is too late for ${what}`);
  }
}

interface Groups {
  caches: RunnableGroup;
  background: RunnableGroup;
  election: RunnableGroup;
  leading: RunnableGroup;
}
