import type { Cluster } from '../../api/cluster.js';
import { formatSeconds, textAt } from '../../object.js';
import type { StoreEvent } from '../../store/entry.js';
import { KeyedTimers } from '../keyed-timers.js';
import { CONTROLLER } from '../identity.js';
import { deletePod, podsOnNode, writePodStatus } from '../pod-writes.js';
import { Worker } from '../worker.js';
import { orphanedStatus, quarantineMs } from './decide.js';

/** Removes the pods of nodes that no longer exist. */
export class PodGarbageCollector {
  readonly #cluster: Cluster;
  readonly #worker = new Worker((node) => this.#sync(node));
  readonly #timers: KeyedTimers;
  /** Since when nodes that pods name have been missing, by the monotonic clock. */
  readonly #missing = new Map<string, number>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#timers = new KeyedTimers(cluster.clock, (node) => this.#worker.add(node));
  }

  /** Starts with what is stored already; returns what ends it. */
  start(): () => void {
    const { store } = this.#cluster;
    for (const { object } of store.entries('pods')) this.#consider(textAt(object, 'spec', 'nodeName'));
    const unsubscribe = store.subscribe((event) => this.#take(event));
    return () => {
      unsubscribe();
      this.#worker.stop();
      this.#timers.stop();
    };
  }

  #take({ type, entry }: StoreEvent): void {
    const { collection, object, key } = entry;
    if (collection === 'nodes' && type !== 'MODIFIED') this.#consider(key);
    if (collection === 'pods') this.#consider(textAt(object, 'spec', 'nodeName'));
  }

  #consider(node: string): void {
    const exists = this.#cluster.store.get('nodes', node) !== undefined;
    if (node !== '' && (!exists || this.#missing.has(node))) this.#worker.add(node);
  }

  async #sync(node: string): Promise<void> {
    const pods = podsOnNode(this.#cluster, node);
    if (pods.length === 0 || this.#cluster.store.get('nodes', node) !== undefined) {
      this.#missing.delete(node);
      this.#timers.clear(node);
      return;
    }
    const now = this.#cluster.clock.monotonic();
    const since = this.#missing.get(node) ?? now;
    this.#missing.set(node, since);
    if (now - since < quarantineMs) {
      this.#timers.set(node, quarantineMs - (now - since));
      return;
    }
    const at = formatSeconds(this.#cluster.now());
    for (const pod of pods) {
      /* A pod that only waits for finalizers has been collected. */
      if (pod.metadata.deletionGracePeriodSeconds === 0) continue;
      await writePodStatus(this.#cluster, pod, (live) => orphanedStatus(live, at), CONTROLLER);
      await deletePod(this.#cluster, pod, 0, CONTROLLER);
    }
  }
}
