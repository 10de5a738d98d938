import type { Cluster } from '../../api/cluster.js';
import { textAt, type KubeObject } from '../../object.js';
import { jsonEqual } from '../../schema/json.js';
import type { StoreEvent } from '../../store/entry.js';
import { KeyedTimers } from '../keyed-timers.js';
import { record } from '../events.js';
import { controller } from '../identity.js';
import { deletePod, podsOnNode, writePodCondition } from '../pod-writes.js';
import { Worker } from '../worker.js';
import { evictingTaints, judge } from './decide.js';

/** Deletes pods from nodes with NoExecute taints that they do not tolerate, or no longer tolerate. */
export class TaintEviction {
  readonly #cluster: Cluster;
  readonly #worker: Worker;
  readonly #timers: KeyedTimers;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#worker = new Worker(cluster.clock, (key) => this.#sync(key));
    this.#timers = new KeyedTimers(cluster.clock, (key) => this.#worker.add(key));
  }

  /** Starts with the stored objects. Returns a function that stops the controller. */
  start(): () => void {
    const { store } = this.#cluster;
    for (const { object } of store.entries('nodes')) this.#addPodsOf(object);
    const unsubscribe = store.subscribe((event) => this.#take(event));
    return () => {
      unsubscribe();
      this.#worker.stop();
      this.#timers.stop();
    };
  }

  #take({ type, entry, previous }: StoreEvent): void {
    const { collection, object, key } = entry;
    if (collection === 'nodes' && !jsonEqual(evictingTaints(object), evictingTaints(previous?.object))) {
      this.#addPodsOf(object);
    }
    if (collection !== 'pods') return;
    if (type === 'DELETED') this.#timers.clear(key);
    else if (evictingTaints(this.#nodeOf(object)).length > 0) this.#worker.add(key);
  }

  #addPodsOf(node: KubeObject): void {
    for (const { metadata } of podsOnNode(this.#cluster, node.metadata.name)) {
      this.#worker.add(`${metadata.namespace ?? ''}/${metadata.name}`);
    }
  }

  #nodeOf(pod: KubeObject): KubeObject | undefined {
    return this.#cluster.store.get('nodes', textAt(pod, 'spec', 'nodeName'))?.object;
  }

  async #sync(key: string): Promise<void> {
    const pod = this.#cluster.store.get('pods', key)?.object;
    if (pod === undefined) return;
    const verdict = judge(pod, evictingTaints(this.#nodeOf(pod)), this.#cluster.clock.now());
    if (verdict.kind === 'wait') {
      this.#timers.set(key, verdict.ms);
      return;
    }
    const wasWaiting = this.#timers.clear(key);
    if (verdict.kind === 'evict') await this.#evict(pod, key);
    else if (wasWaiting && pod.metadata.deletionTimestamp === undefined) {
      await this.#report(pod, `Cancelling deletion of Pod ${key}`);
    }
  }

  async #evict(pod: KubeObject, key: string): Promise<void> {
    await this.#report(pod, `Marking for deletion Pod ${key}`);
    const message = 'Taint manager: deleting due to NoExecute taint';
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message,
    } as const;
    await writePodCondition(this.#cluster, pod, condition, controller);
    await deletePod(this.#cluster, pod, undefined, controller);
  }

  #report(regarding: KubeObject, note: string): Promise<void> {
    const reason = 'TaintManagerEviction';
    return record(this.#cluster, {
      regarding,
      type: 'Normal',
      reason,
      note,
      component: 'taint-eviction-controller',
    });
  }
}
