import { setTimeout as sleep } from 'node:timers/promises';
import { keyString, messageOf } from '@interlock/api';
import { silentLog, systemClock } from '@interlock/base';
import { ConfigMap, createClient, createManager, type CacheEvent, type Manager } from '@interlock/kube';
import { summaryOf, type Summary } from '../statistics.js';
import { EventSequence, textOfViolation } from './event-sequence.js';
import { labelSelector, objectCount, objectsOf, preciseNow, versionOf } from './objects.js';
import { violationsToReport, writtenOf } from './written.js';

interface ProcessMemory {
  /** Bytes after a garbage collection. */
  rss: number;
  heapUsed: number;
}

/** A figure is absent if nothing was measured for it. */
interface InformerReport {
  reconciles: number;
  /** Milliseconds from the receipt of an event by the cache until the reconcile of its object starts. */
  queued?: Summary | undefined;
  /** Milliseconds from the request of a write until the reconcile of its object starts. */
  latency?: Summary | undefined;
  /** Number of lists, including the initial one. */
  lists: number;
  violations: string[];
  violationCount: number;
}

export interface InformerMethods {
  memory(parameters: Record<string, never>): ProcessMemory;
  /** Starts the manager. Returns the milliseconds until all objects were reconciled once. */
  start(parameters: Record<string, never>): Promise<number>;
  /** Starts recording latencies. */
  begin(parameters: Record<string, never>): void;
  /**
   * Waits until the cache contains the last version of each object, or until the timeout.
   *
   * @param parameters number of writes of each object, by its index
   */
  finish(parameters: { counts: readonly number[]; timeoutMs: number }): Promise<InformerReport>;
}

const pollMs = 10;
const startTimeoutMs = 60_000;

/** A manager with a cache of all objects and a controller that reconciles them, as in an app. */
export class Informer implements InformerMethods {
  readonly #manager: Manager;
  readonly #sequence = new EventSequence(objectsOf());
  readonly #violations: string[] = [];
  /** Time of the first event that was not reconciled yet, by object. */
  readonly #arrivals = new Map<string, number>();
  readonly #reconciled = new Set<string>();
  #queued: number[] = [];
  #latencies: number[] = [];
  #lists = 0;

  constructor(kubeConfig: string) {
    this.#manager = createManager({
      client: createClient({ kubeConfig, userAgent: 'bench-informer', defaultFieldManager: 'bench' }),
      clock: systemClock,
      log: silentLog,
      cacheMetrics: { listed: () => void this.#lists++, watched: () => undefined },
    });
    const cache = { labelSelector, transform: (object: ConfigMap) => this.#arrive(object) };
    this.#manager.cache(ConfigMap, cache).subscribe((event) => this.#check(event));
    this.#manager.addReconciler({
      name: 'bench',
      for: { kind: ConfigMap, cache },
      observe: (object: ConfigMap) => this.#reconcile(object),
      decide: (observed) => observed,
      conclude: () => ({}),
    });
  }

  memory(): ProcessMemory {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    return { rss, heapUsed };
  }

  async start(): Promise<number> {
    const startedAt = performance.now();
    this.#manager
      .run(new AbortController().signal)
      .catch((error: unknown) => this.#violations.push(`the manager has ended: ${messageOf(error)}`));
    while (this.#reconciled.size < objectCount) {
      if (performance.now() > startedAt + startTimeoutMs)
        throw new Error(`${this.#reconciled.size} of ${objectCount} objects were reconciled`);
      await sleep(pollMs);
    }
    return performance.now() - startedAt;
  }

  begin(): void {
    this.#queued = [];
    this.#latencies = [];
  }

  async finish({
    counts,
    timeoutMs,
  }: {
    counts: readonly number[];
    timeoutMs: number;
  }): Promise<InformerReport> {
    const written = writtenOf(counts);
    const giveUpAt = performance.now() + timeoutMs;
    const isBehind = () => this.#sequence.missing(written).length > 0 || this.#arrivals.size > 0;
    while (performance.now() < giveUpAt && this.#violations.length === 0 && isBehind()) await sleep(pollMs);
    const missing = this.#sequence.missing(written).map(textOfViolation);
    const unreconciled = [...this.#arrivals.keys()].map((object) => `${object} is not reconciled`);
    return {
      reconciles: this.#latencies.length,
      queued: this.#queued.length === 0 ? undefined : summaryOf(this.#queued),
      latency: this.#latencies.length === 0 ? undefined : summaryOf(this.#latencies),
      lists: this.#lists,
      ...violationsToReport([...this.#violations, ...missing, ...unreconciled]),
    };
  }

  /** Records the arrival of an object, before the cache stores it. Returns the object. */
  #arrive(object: ConfigMap): ConfigMap {
    const key = keyString(object.metadata);
    if (!this.#arrivals.has(key)) this.#arrivals.set(key, performance.now());
    delete object.metadata.managedFields;
    return object;
  }

  #check(event: CacheEvent<ConfigMap>): void {
    if (event.type === 'added' && event.initial) return;
    const violation = this.#sequence.take(versionOf(event.object));
    if (violation !== undefined) this.#violations.push(textOfViolation(violation));
  }

  #reconcile(object: ConfigMap): string {
    const { object: key, sentAt } = versionOf(object);
    const arrivedAt = this.#arrivals.get(key);
    this.#reconciled.add(key);
    if (arrivedAt === undefined) return key;
    this.#arrivals.delete(key);
    this.#queued.push(performance.now() - arrivedAt);
    this.#latencies.push(preciseNow() - sentAt);
    return key;
  }
}
