import type { Cluster } from '../../api/cluster.js';
import { formatSeconds, textAt } from '../../object.js';
import type { StoreEvent } from '../../store/entry.js';
import { KeyedTimers } from '../keyed-timers.js';
import { controller } from '../identity.js';
import { deletePod, podsOnNode, writePodStatus } from '../pod-writes.js';
import { Worker } from '../worker.js';
import { orphanedStatus, quarantineMs } from './decide.js';

/** Deletes the pods of nodes that no longer exist. */
export class PodGarbageCollector {
  readonly #cluster: Cluster;
  readonly #worker: Worker;
  readonly #timers: KeyedTimers;
  /** The monotonic time since which each node of a pod has been missing. */
  readonly #missing = new Map<string, number>();
  /** Nodes of the cluster's own kubelets that have been registered. */
  readonly #registered = new Set<string>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#worker = new Worker(cluster.clock, (node) => this.#sync(node));
    this.#timers = new KeyedTimers(cluster.clock, (node) => this.#worker.add(node));
  }

  /** Starts with the stored objects. Returns a function that stops the controller. */
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
    if (collection === 'nodes' && type !== 'MODIFIED') {
      if (this.#cluster.kubelets.has(key)) this.#registered.add(key);
      this.#consider(key);
    }
    if (collection === 'pods') this.#consider(textAt(object, 'spec', 'nodeName'));
  }

  #consider(node: string): void {
    if (node !== '' && (!this.#exists(node) || this.#missing.has(node))) this.#worker.add(node);
  }

  /**
   * Returns whether a node exists. A node whose kubelet runs here and has not been registered yet does not count as
   * missing.
   */
  #exists(node: string): boolean {
    const { store, kubelets } = this.#cluster;
    return store.get('nodes', node) !== undefined || (kubelets.has(node) && !this.#registered.has(node));
  }

  async #sync(node: string): Promise<void> {
    const pods = podsOnNode(this.#cluster, node);
    if (pods.length === 0 || this.#exists(node)) {
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
      await writePodStatus(this.#cluster, pod, (live) => orphanedStatus(live, at), controller);
      await deletePod(this.#cluster, pod, 0, controller);
    }
  }
}
