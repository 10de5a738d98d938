import { backoffMs, type Backoff, type Clock } from '@interlock/base';
import { LRUCache } from 'lru-cache';
import { DelayedKeys } from './delayed-keys.js';
import { type Flow, flowOfKey, type FlowLimits, FlowUsage, unlimited } from './flows.js';
import { type Priority, ReadyKeys } from './ready-keys.js';
import type { QueueMetrics } from './metrics-types.js';
import { TokenBucket } from './token-bucket.js';

export interface WorkQueueOptions {
  clock: Clock;
  /** Yields numbers in [0, 1). */
  random: () => number;
  metrics: QueueMetrics;
  /** Per-key delays of {@link WorkQueue.addRateLimited}. Default: 500 ms to 5 min. */
  backoff?: Backoff | undefined;
  /**
   * Rate of retries of all keys of a namespace. Default: 10 a second after a burst of 100 (in client-go, of all keys).
   */
  bucket?: { perSecond: number; burst: number };
  /** The grouping by which keys are served in turn. Default: their namespaces. */
  flowOf?: (key: string) => Flow;
  /** Default: none. */
  limits?: FlowLimits | undefined;
}

const maxBuckets = 10_000;

/**
 * A work queue with client-go's guarantees (k8s.io/client-go/util/workqueue): a key waits at most once, is never
 * passed to two workers at a time, and is processed again if it is added during its processing. In addition it is
 * fair: namespaces are served in turn, and no namespace or host uses more workers than its limit.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #metrics: QueueMetrics;
  readonly #backoff: Backoff;
  readonly #buckets: LRUCache<string, TokenBucket>;
  readonly #newBucket: () => TokenBucket;
  readonly #flowOf: (key: string) => Flow;
  readonly #usage: FlowUsage;
  readonly #delayed: DelayedKeys;
  readonly #ready = new ReadyKeys();
  readonly #addedAt = new Map<string, number>();
  readonly #processing = new Map<string, { startedAt: number; flow: Flow }>();
  readonly #again = new Map<string, Priority>();
  readonly #failures = new Map<string, number>();
  readonly #workers: ((key: string | undefined) => void)[] = [];
  readonly #onIdle: (() => void)[] = [];
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#metrics = options.metrics;
    this.#backoff = options.backoff ?? { baseMs: 500, maxMs: 300_000 };
    const bucket = options.bucket ?? { perSecond: 10, burst: 100 };
    this.#newBucket = () => new TokenBucket(options.clock, bucket);
    /* With `max`, the cache would allocate the space of all entries at once. */
    this.#buckets = new LRUCache({ maxSize: maxBuckets, sizeCalculation: () => 1 });
    this.#flowOf = options.flowOf ?? flowOfKey;
    this.#usage = new FlowUsage(options.limits ?? unlimited);
    this.#delayed = new DelayedKeys(options.clock, (key) => this.add(key));
    this.#metrics.observeInFlight(() => this.#inFlightMs());
  }

  /** Number of keys that wait for a worker, not counting delayed keys. */
  get depth(): number {
    return this.#ready.size;
  }

  /** Number of keys that are being processed. */
  get inFlight(): number {
    return this.#processing.size;
  }

  /** Returns the key that has been processed for the longest time, with that time in milliseconds; undefined if there is none. */
  longestRunning(): { key: string; runningMs: number } | undefined {
    /* Keys are in the order in which their processing began. */
    for (const [key, { startedAt }] of this.#processing) {
      return { key, runningMs: this.#clock.monotonic() - startedAt };
    }
    return undefined;
  }

  /** Adds `key` for processing as soon as a worker is free. It is ignored after the shutdown. */
  add(key: string, priority: Priority = 'live'): void {
    if (this.#closed) return;
    if (!this.#addedAt.has(key)) {
      this.#addedAt.set(key, this.#clock.monotonic());
      this.#metrics.added();
    }
    if (this.#processing.has(key)) {
      if (this.#again.get(key) !== 'live') this.#again.set(key, priority);
      return;
    }
    this.#enqueue(key, priority);
  }

  /** Adds `key` for processing in `ms` milliseconds. Of several delayed additions of a key, the earliest counts. */
  addAfter(key: string, ms: number): void {
    if (this.#closed) return;
    if (ms <= 0) this.add(key);
    else this.#delayed.add(key, this.#clock.monotonic() + ms);
  }

  /** Adds `key` for a retry after its backoff and the delay of the token bucket. Returns the delay in milliseconds. */
  addRateLimited(key: string): number {
    const attempt = this.failures(key) + 1;
    if (this.#closed) return 0;
    this.#failures.set(key, attempt);
    this.#metrics.retried();
    const wait = Math.max(
      backoffMs(attempt, this.#backoff, this.#random),
      this.#bucketOf(flowOfKey(key).tenant).reserve(this.#backoff.maxMs),
    );
    this.addAfter(key, wait);
    return wait;
  }

  /** Returns the number of retries of `key` since it was last forgotten. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Resets the backoff of `key`; a delayed addition remains scheduled. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Forgets a key that no longer exists, together with its delayed addition, which may be due in years. */
  drop(key: string): void {
    this.forget(key);
    this.#delayed.remove(key);
  }

  /** Returns the next key, for which {@link done} must be called, or `undefined` after the shutdown. */
  get(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    const key = this.#take();
    if (key !== undefined) return Promise.resolve(key);
    return new Promise((resolve) => this.#workers.push(resolve));
  }

  /** Ends the processing of a key; it is added again if it was added meanwhile. */
  done(key: string): void {
    const work = this.#processing.get(key);
    if (work === undefined) return;
    this.#processing.delete(key);
    this.#usage.leave(work.flow);
    this.#metrics.worked((this.#clock.monotonic() - work.startedAt) / 1000);
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again !== undefined) this.#ready.push(key, again, this.#flowOf(key));
    this.#dispatch();
    if (this.#processing.size === 0) this.#onIdle.splice(0).forEach((resolve) => resolve());
  }

  /** Drops waiting keys and accepts no others. Resolves when the keys in progress are done. */
  async shutDown(): Promise<void> {
    this.#closed = true;
    this.#delayed.clear();
    this.#ready.clear();
    this.#again.clear();
    this.#addedAt.clear();
    this.#failures.clear();
    this.#metrics.depth(0);
    this.#workers.splice(0).forEach((resolve) => resolve(undefined));
    if (this.#processing.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #enqueue(key: string, priority: Priority): void {
    this.#ready.push(key, priority, this.#flowOf(key));
    this.#dispatch();
  }

  /** Passes keys that may run to waiting workers. */
  #dispatch(): void {
    while (this.#workers.length > 0) {
      const key = this.#take();
      if (key === undefined) break;
      this.#workers.shift()?.(key);
    }
    this.#metrics.depth(this.#ready.size);
  }

  #take(): string | undefined {
    const next = this.#ready.shift((flow) => this.#usage.hasRoom(flow));
    if (next === undefined) return undefined;
    const { key, flow } = next;
    const now = this.#clock.monotonic();
    this.#metrics.waited((now - (this.#addedAt.get(key) ?? now)) / 1000);
    this.#addedAt.delete(key);
    this.#processing.set(key, { startedAt: now, flow });
    this.#usage.enter(flow);
    this.#metrics.depth(this.#ready.size);
    return key;
  }

  #bucketOf(tenant: string): TokenBucket {
    const known = this.#buckets.get(tenant);
    if (known !== undefined) return known;
    const bucket = this.#newBucket();
    this.#buckets.set(tenant, bucket);
    return bucket;
  }

  #inFlightMs(): number[] {
    const now = this.#clock.monotonic();
    return [...this.#processing.values()].map(({ startedAt }) => now - startedAt);
  }
}
