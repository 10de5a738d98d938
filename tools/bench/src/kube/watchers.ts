import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@interlock/api';
import { ConfigMap, createClient, type Client } from '@interlock/kube';
import { summaryOf, type Summary } from '../statistics.js';
import { EventSequence, textOfViolation } from './event-sequence.js';
import { labelSelector, objectsOf, preciseNow, versionOf } from './objects.js';
import { violationsToReport, writtenOf } from './written.js';

export interface WatchScope {
  /** Namespace; undefined for all namespaces. */
  namespace?: string | undefined;
}

export interface WatchReport {
  events: number;
  /** Milliseconds from the request of a write until a watcher receives its event; absent without events. */
  latency?: Summary | undefined;
  /** The first violations as sentences, including watches that ended. */
  violations: string[];
  violationCount: number;
}

export interface WatcherMethods {
  /** Starts a watch for each scope from the current state. */
  watch(scopes: readonly WatchScope[]): Promise<void>;
  /** Starts counting events and recording latencies. */
  begin(parameters: Record<string, never>): void;
  /**
   * Waits until each watch has received its last events, or until the timeout.
   *
   * @param parameters number of writes of each object, by its index
   */
  finish(parameters: { counts: readonly number[]; timeoutMs: number }): Promise<WatchReport>;
}

const pollMs = 50;

/** Watches the objects of the benchmark with many streams, and checks the events of each stream. */
export class Watchers implements WatcherMethods {
  readonly #client: Client;
  readonly #watches: { scope: WatchScope; sequence: EventSequence }[] = [];
  readonly #violations: string[] = [];
  #latencies: number[] = [];
  #events = 0;

  constructor(kubeConfig: string) {
    this.#client = createClient({ kubeConfig, userAgent: 'bench-watchers', defaultFieldManager: 'bench' });
  }

  async watch(scopes: readonly WatchScope[]): Promise<void> {
    const { resourceVersion } = await this.#client.list(ConfigMap, { labelSelector });
    for (const scope of scopes) {
      const sequence = new EventSequence(objectsOf(scope.namespace));
      this.#watches.push({ scope, sequence });
      void this.#follow(scope, sequence, resourceVersion);
    }
  }

  begin(): void {
    this.#latencies = [];
    this.#events = 0;
  }

  async finish({
    counts,
    timeoutMs,
  }: {
    counts: readonly number[];
    timeoutMs: number;
  }): Promise<WatchReport> {
    const written = writtenOf(counts);
    const giveUpAt = performance.now() + timeoutMs;
    const missing = (): string[] =>
      this.#watches.flatMap(({ scope, sequence }) =>
        sequence.missing(written).map((violation) => inScope(scope, textOfViolation(violation))),
      );
    while (performance.now() < giveUpAt && this.#violations.length === 0 && missing().length > 0)
      await sleep(pollMs);
    return {
      events: this.#events,
      latency: this.#latencies.length === 0 ? undefined : summaryOf(this.#latencies),
      ...violationsToReport([...this.#violations, ...missing()]),
    };
  }

  async #follow(scope: WatchScope, sequence: EventSequence, resourceVersion: string): Promise<void> {
    const { namespace } = scope;
    try {
      const options = { labelSelector, resourceVersion, namespace };
      for await (const event of this.#client.watch(ConfigMap, options))
        if (event.type !== 'BOOKMARK') this.#take(scope, sequence, event.object);
      this.#violations.push(inScope(scope, 'the watch has ended'));
    } catch (error) {
      this.#violations.push(inScope(scope, messageOf(error)));
    }
  }

  #take(scope: WatchScope, sequence: EventSequence, object: ConfigMap): void {
    const version = versionOf(object);
    const violation = sequence.take(version);
    if (violation !== undefined) this.#violations.push(inScope(scope, textOfViolation(violation)));
    this.#events++;
    this.#latencies.push(preciseNow() - version.sentAt);
  }
}

function inScope({ namespace = 'all namespaces' }: WatchScope, text: string): string {
  return `watch of ${namespace}: ${text}`;
}
