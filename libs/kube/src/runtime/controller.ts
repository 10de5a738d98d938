import { setImmediate } from 'node:timers/promises';
import { isTyped, keyString, messageOf, parseKey, type KubeObject, type ObjectKey } from '@interlock/api';
import { aborted, stopwatch, type Clock, type Logger } from '@interlock/base';
import type { Tracer } from '@opentelemetry/api';
import type { FollowedCache } from '../cache/types.js';
import type { WriteTracker } from '../cache/write-tracker.js';
import { ApiError } from '../client/api-error.js';
import { reconcileOnce, type Outcome } from './attempt.js';
import { Circuits } from './circuits.js';
import { Failures } from './failures.js';
import type { EventRecorder } from './events.js';
import { type Flow, flowOfKey, type FlowLimits } from './flows.js';
import { InitialKeys } from './initial-keys.js';
import type { ControllerMetrics, RuntimeMetrics } from './metrics-types.js';
import { WorkQueue } from './queue.js';
import { sourcesOf, type CacheProvider, type Source } from './sources.js';
import { Causes } from './tracing.js';
import type { HungWorker } from './manager-types.js';
import type { ControllerHandle, ControllerOptions, ExternalCalls } from './types.js';

export interface ControllerDeps {
  cache: CacheProvider;
  clock: Clock;
  log: Logger;
  metrics: RuntimeMetrics;
  /** Yields numbers in [0, 1). */
  random: () => number;
  /** Yields the unique reconcileID of a log line. */
  newId: () => string;
  isStale?: WriteTracker['isStale'];
  events?: EventRecorder | undefined;
  tracer?: Tracer | undefined;
}

/**
 * Times after which the watch should have caught up with this process's write; its event would enqueue the key anyway. A
 * connection that broke silently is found after minutes, in which the keys of all recent writes wait.
 */
const staleRetryMs = { first: 20, longest: 1_000 };
const defaultTimeoutMs = 120_000;
/** A reconcile that runs this much longer than its timeout, and at least this long, ignores its signal. */
const hung = { timeouts: 3, leastMs: 900_000 };
/** Concurrency of reconciles that mostly wait for answers. */
const externalConcurrency = 16;

/** Reconciles the keys that its sources yield (controller-runtime: controller.Controller). */
export class Controller<T extends KubeObject> implements ControllerHandle {
  readonly name: string;
  readonly #options: ControllerOptions<T>;
  readonly #deps: ControllerDeps;
  readonly #log: Logger;
  readonly #metrics: ControllerMetrics;
  readonly #queue: WorkQueue;
  readonly #cache: FollowedCache<T>;
  readonly #sources: readonly Source[];
  readonly #failures = new Failures();
  readonly #circuits = new Circuits();
  readonly #causes = new Causes();
  /** Since when keys wait for the cache, by the monotonic clock. */
  readonly #staleSince = new Map<string, number>();
  readonly #concurrency: number;
  readonly #timeoutMs: number;
  #active = 0;

  /** Requests its caches at once, so that they start with the manager. */
  constructor(options: ControllerOptions<T>, deps: ControllerDeps) {
    this.name = options.name;
    this.#options = options;
    this.#deps = deps;
    this.#log = deps.log.child({ controller: options.name });
    this.#metrics = deps.metrics.controller(options.name);
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    this.#concurrency = options.concurrency ?? (options.external ? externalConcurrency : 4);
    this.#queue = new WorkQueue({
      clock: deps.clock,
      random: deps.random,
      metrics: deps.metrics.queue(options.name),
      flowOf: (key) => this.#flowOf(key),
      limits: options.external && limitsOf(options.external, this.#concurrency),
      backoff: options.backoff,
    });
    const { primary, sources } = sourcesOf(options, deps.cache);
    this.#cache = primary;
    this.#sources = sources;
  }

  enqueue(key: ObjectKey, { afterMs = 0 }: { afterMs?: number } = {}): void {
    const text = keyString(key);
    if (this.#deps.tracer !== undefined) this.#causes.note(text);
    this.#queue.addAfter(text, afterMs);
  }

  hungWorker(): HungWorker | undefined {
    const longest = this.#queue.longestRunning();
    const maxMs = Math.max(hung.leastMs, hung.timeouts * this.#timeoutMs);
    return longest && longest.runningMs > maxMs ? { controller: this.name, ...longest } : undefined;
  }

  /**
   * Reconciles until `stop` aborts, then finishes running reconciles and resolves.
   *
   * @param kill aborts running reconciles, whose outcomes are then ignored
   */
  async run(stop: AbortSignal, kill: AbortSignal): Promise<void> {
    const concurrency = this.#concurrency;
    this.#metrics.maxConcurrent(concurrency);
    const workers = Array.from({ length: concurrency }, () => this.#work(kill));
    const initial = new InitialKeys((key) => this.#queue.add(key, 'initial'));
    const unsubscribe = this.#sources.map((source) =>
      source(
        (key, priority) =>
          priority === 'initial' ? initial.push(keyString(key)) : this.#queue.add(keyString(key)),
        (error) => this.#panic(this.#log, error, 'a predicate or mapping failed; the event is lost'),
      ),
    );
    this.#log.info({ concurrency }, 'controller started');
    const worked = Promise.all(workers);
    await Promise.race([aborted(stop), worked]);
    unsubscribe.forEach((end) => end());
    await this.#queue.shutDown();
    await worked;
    this.#log.info({}, 'controller stopped');
  }

  async #work(kill: AbortSignal): Promise<void> {
    for (;;) {
      const key = await this.#queue.get();
      if (key === undefined) return;
      try {
        await this.#process(key, kill);
      } finally {
        this.#queue.done(key);
      }
      // Reconciles that are answered from caches alone would otherwise delay I/O, and the renewal of the lease.
      await setImmediate();
    }
  }

  async #process(text: string, kill: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const key = parseKey(text);
    const cached = this.#cache.get(key);
    const heldMs = this.#failures.heldFor(text, clock.monotonic());
    if (heldMs > 0) return this.#queue.addAfter(text, heldMs);
    if (this.#deps.isStale?.(this.#options.for.kind, key, this.#cache) === true) {
      const since = this.#staleSince.get(text) ?? clock.monotonic();
      this.#staleSince.set(text, since);
      const waitedMs = clock.monotonic() - since;
      return this.#queue.addAfter(
        text,
        Math.min(Math.max(waitedMs, staleRetryMs.first), staleRetryMs.longest),
      );
    }
    this.#staleSince.delete(text);
    if (cached !== undefined && this.#failures.isFailing(text)) {
      const waitMs = this.#circuits.waitMs(this.#flowOf(text), clock.monotonic());
      if (waitMs > 0) return this.#queue.addAfter(text, Math.round(waitMs * (1 + this.#deps.random() / 10)));
    }
    const flow = this.#flowOf(text);
    this.#circuits.begin(flow);
    const reconcileID = this.#deps.newId();
    const log = this.#log.child({ ...key, reconcileID });
    const seconds = stopwatch(clock);
    this.#metrics.activeWorkers(++this.#active);
    const outcome = await reconcileOnce({
      controller: this.name,
      reconcile: this.#options.reconcile,
      key,
      reconcileID,
      links: this.#causes.take(text),
      timeoutMs: this.#timeoutMs,
      stop: kill,
      clock,
      log,
      tracer: this.#deps.tracer,
    });
    this.#metrics.activeWorkers(--this.#active);
    this.#circuits.end(flow);
    this.#conclude(text, outcome, cached, log, seconds());
  }

  #flowOf(key: string): Flow {
    const { external } = this.#options;
    const parsed = parseKey(key);
    const { tenant } = flowOfKey(key);
    const own = tenant === '' ? external?.tenantOf?.(parsed) : undefined;
    return { tenant: own ?? tenant, host: external?.hostOf(parsed) };
  }

  #conclude(key: string, outcome: Outcome, cached: T | undefined, log: Logger, seconds: number): void {
    switch (outcome.type) {
      case 'stopped':
        return;
      case 'done': {
        const { requeueAfterMs } = outcome.result;
        if (cached === undefined) this.#queue.drop(key);
        else this.#queue.forget(key);
        this.#failures.forget(key);
        this.#circuits.succeed(this.#flowOf(key));
        if (requeueAfterMs !== undefined) this.#queue.addAfter(key, requeueAfterMs);
        this.#metrics.reconciled(requeueAfterMs === undefined ? 'success' : 'requeue_after', seconds);
        return;
      }
      case 'failed':
        if (outcome.timedOut) this.#metrics.timedOut();
        this.#fail(key, outcome.error, cached, log, seconds);
    }
  }

  #fail(key: string, error: unknown, cached: T | undefined, log: Logger, seconds: number): void {
    const now = this.#deps.clock.monotonic();
    if (isUnanswered(error)) this.#circuits.fail(this.#flowOf(key), now);
    else this.#circuits.succeed(this.#flowOf(key));
    const { policy, attempt, repeated } = this.#failures.note(key, error, cached?.metadata.generation, now);
    const delayMs = Math.round(policy.delayMs + this.#deps.random() * policy.jitterMs);
    if (policy.action !== 'backoff') this.#queue.addAfter(key, delayMs);
    const retryInMs = policy.action === 'backoff' ? this.#queue.addRateLimited(key) : delayMs;
    this.#metrics.reconciled(policy.failure ? 'error' : 'requeue_after', seconds);
    if (policy.failure) this.#metrics.failed();
    if (policy.action === 'wait') this.#metrics.failedTerminally();
    const fields = { attempt, retryInMs };
    if (policy.panic) return this.#panic(log, error, 'reconcile panicked', fields);
    const level = policy.action === 'wait' && repeated ? 'debug' : policy.level;
    log[level]({ ...fields, error: messageOf(error) }, 'reconcile failed');
    if (policy.eventType === undefined || repeated || cached === undefined || !isTyped(error)) return;
    const { reason, message: note } = error;
    this.#deps.events?.record(cached, { type: policy.eventType, reason, action: 'Reconcile', note });
  }

  #panic(log: Logger, error: unknown, message: string, fields: object = {}): void {
    this.#metrics.panicked();
    log.error({ ...fields, error: messageOf(error), stack: stackOf(error) }, message);
  }
}

function limitsOf({ perTenant }: ExternalCalls, concurrency: number): FlowLimits {
  const part = (divisor: number): number => Math.max(1, Math.floor(concurrency / divisor));
  return { perTenant: perTenant ?? part(4), perHost: part(2) };
}

/** Returns whether a server outside of the cluster failed for a reason that may pass. */
function isUnanswered(error: unknown): boolean {
  return isTyped(error, 'Transient') && !error.isLocal && !(error instanceof ApiError);
}

/** Returns the stack of an error, which is recognized by shape: an error of another realm is not an `instanceof Error` here. */
function stackOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('stack' in error)) return undefined;
  return typeof error.stack === 'string' ? error.stack : undefined;
}
