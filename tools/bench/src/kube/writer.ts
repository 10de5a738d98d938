import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@interlock/api';
import { ConfigMap, createClient, Namespace, type Client } from '@interlock/kube';
import { summaryOf, type Summary } from '../statistics.js';
import { keyAt, namespaceAt, namespaceCount, objectAt, objectCount, preciseNow, writeOf } from './objects.js';

interface Load {
  /** Writes per second. */
  rate: number;
  durationMs: number;
}

export interface WriteReport {
  writes: number;
  /** Writes per second, from the scheduled time of the first write until the last response. */
  rate: number;
  /** Milliseconds from the scheduled time of a write until its response. */
  latency: Summary;
  /** Number of failed attempts, which were repeated. */
  failures: number;
  /** The message of the last failure. */
  lastFailure?: string | undefined;
}

export interface WriterMethods {
  /** Creates the namespaces and the objects. */
  create(parameters: Record<string, never>): Promise<void>;
  /**
   * Writes one object after another at a fixed rate, independent of the duration of the responses, until a write of
   * each object is pending. Each write is repeated until it is answered.
   */
  write(load: Load): Promise<WriteReport>;
  /** Returns the number of writes of each object, by its index. */
  counts(parameters: Record<string, never>): number[];
}

const createdAtOnce = 32;
const tickMs = 2;
const retryMs = 50;
/** Time for which a write is repeated. */
const writeTimeoutMs = 120_000;

/** Writes the objects of the benchmark, with one pending request per object. */
export class Writer implements WriterMethods {
  readonly #client: Client;
  readonly #counts = new Array<number>(objectCount).fill(0);
  readonly #busy = new Set<number>();
  #next = 0;

  constructor(kubeConfig: string) {
    this.#client = createClient({ kubeConfig, userAgent: 'bench-writer', defaultFieldManager: 'bench' });
  }

  async create(): Promise<void> {
    for (let index = 0; index < namespaceCount; index++)
      await this.#client.create(Namespace, { metadata: { name: namespaceAt(index) } });
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < objectCount) await this.#client.create(ConfigMap, objectAt(next++));
    };
    await Promise.all(Array.from({ length: createdAtOnce }, work));
  }

  async write({ rate, durationMs }: Load): Promise<WriteReport> {
    const total = Math.round((rate * durationMs) / 1000);
    const run: Run = { latencies: [], failures: 0 };
    const writes: Promise<void>[] = [];
    const startedAt = performance.now();
    while (writes.length < total) {
      const due = Math.min(total, Math.floor(((performance.now() - startedAt) * rate) / 1000) + 1);
      while (writes.length < due && this.#busy.size < objectCount) {
        const write = this.#writeNext(startedAt + (writes.length * 1000) / rate, run);
        write.catch(() => undefined); // It is awaited at the end.
        writes.push(write);
      }
      await sleep(tickMs);
    }
    await Promise.all(writes);
    return {
      writes: total,
      rate: total / ((performance.now() - startedAt) / 1000),
      latency: summaryOf(run.latencies),
      failures: run.failures,
      lastFailure: run.lastFailure,
    };
  }

  counts(): number[] {
    return this.#counts;
  }

  async #writeNext(dueAt: number, run: Run): Promise<void> {
    const index = this.#take();
    const count = (this.#counts[index] ?? 0) + 1;
    /* Every attempt uses the same patch, so repeating a stored write changes nothing. */
    const patch = { type: 'merge' as const, patch: writeOf(count, preciseNow()) };
    try {
      await this.#repeat(() => this.#client.patch(ConfigMap, keyAt(index), patch), run);
      this.#counts[index] = count;
      run.latencies.push(performance.now() - dueAt);
    } finally {
      this.#busy.delete(index);
    }
  }

  /** Returns the next object without a pending write. There is always one. */
  #take(): number {
    let index = this.#next;
    while (this.#busy.has(index)) index = (index + 1) % objectCount;
    this.#next = (index + 1) % objectCount;
    this.#busy.add(index);
    return index;
  }

  async #repeat(write: () => Promise<unknown>, run: Run): Promise<void> {
    const giveUpAt = performance.now() + writeTimeoutMs;
    for (;;) {
      try {
        await write();
        return;
      } catch (error) {
        if (performance.now() > giveUpAt) throw error;
        run.failures++;
        run.lastFailure = messageOf(error);
      }
      await sleep(retryMs);
    }
  }
}

interface Run {
  latencies: number[];
  failures: number;
  lastFailure?: string;
}
