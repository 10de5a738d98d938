import type { Cluster } from '../../api/cluster.js';
import { KeyedTimers } from '../../controllers/keyed-timers.js';
import { record } from '../../controllers/events.js';
import { deletePod, podsOnNode, writePodStatus } from '../../controllers/pod-writes.js';
import { Worker } from '../../controllers/worker.js';
import { formatSeconds, objectAt, textAt, type KubeObject } from '../../object.js';
import { jsonEqual } from '../../schema/json.js';
import type { StoreEvent } from '../../store/entry.js';
import { kubeletContext } from '../node/identity.js';
import { nodeAddress } from '../node/object.js';
import { PodAddresses } from './addresses.js';
import { nextStep, timeLeft, type Report } from './decide.js';
import { Orders, type SimulationRule } from './orders.js';
import { isEnding, type Outcome } from './outcome.js';
import type { Surroundings } from './status.js';

/** The part of the kubelets of simulated nodes that reports the status of pods. No container really runs. */
export class SimulatedKubelet {
  readonly #cluster: Cluster;
  readonly #indexOf: (node: string) => number | undefined;
  readonly #addresses: PodAddresses;
  readonly #orders = new Orders();
  readonly #worker: Worker;
  readonly #timers: KeyedTimers;

  /** @param indexOf returns the number of a simulated node whose kubelet runs, or undefined for any other node */
  constructor(cluster: Cluster, indexOf: (node: string) => number | undefined) {
    this.#cluster = cluster;
    this.#worker = new Worker(cluster.clock, (key) => this.#sync(key));
    this.#indexOf = indexOf;
    this.#addresses = new PodAddresses(cluster.store);
    this.#timers = new KeyedTimers(cluster.clock, (key) => this.#worker.add(key));
  }

  /** Starts the kubelets with the stored pods. Returns a function that stops them. */
  start(): () => void {
    const { store } = this.#cluster;
    for (const { key } of store.entries('pods')) this.#worker.add(key);
    const unsubscribe = store.subscribe((event) => this.#take(event));
    return () => {
      unsubscribe();
      this.#worker.stop();
      this.#timers.stop();
      this.#orders.stop();
    };
  }

  /**
   * Sets the outcome of a pod. Resolves when the resulting status is stored, after the pod was scheduled and started.
   * @throws Error if the pod does not exist, or is deleted earlier
   */
  async simulate({ namespace, name }: { namespace: string; name: string }, outcome: Outcome): Promise<void> {
    const key = `${namespace}/${name}`;
    const uid = this.#cluster.store.get('pods', key)?.object.metadata.uid;
    if (uid === undefined) throw new Error(`the pod ${key} does not exist`);
    const done = this.#orders.give(uid, { ...outcome });
    this.#worker.add(key);
    await done;
  }

  /** Sets the outcome of future pods. Returns a function that removes the rule; pods that it held then continue. */
  addRule(rule: SimulationRule): () => void {
    const remove = this.#orders.addRule(rule);
    return () => {
      remove();
      for (const { key } of this.#cluster.store.entries('pods')) this.#worker.add(key);
    };
  }

  /** Reports the status of all pods of a node again. */
  resync(node: string): void {
    for (const { metadata } of podsOnNode(this.#cluster, node)) {
      this.#worker.add(`${metadata.namespace ?? ''}/${metadata.name}`);
    }
  }

  #take(event: StoreEvent): void {
    this.#addresses.take(event);
    const { type, entry } = event;
    const { collection, object, key } = entry;
    if (collection !== 'pods') return;
    if (type === 'DELETED') {
      this.#orders.forget(object.metadata.uid ?? '');
      this.#timers.clear(key);
    } else if (this.#indexOf(textAt(object, 'spec', 'nodeName')) !== undefined) this.#worker.add(key);
  }

  async #sync(key: string): Promise<void> {
    const pod = this.#cluster.store.get('pods', key)?.object;
    const node = pod === undefined ? '' : textAt(pod, 'spec', 'nodeName');
    const index = this.#indexOf(node);
    if (pod === undefined || index === undefined) return;
    const outcome = this.#orders.outcomeOf(pod);
    const surroundings = this.#surroundings(pod, node, index);
    const nowMs = this.#cluster.clock.now();
    const step = nextStep(pod, outcome, surroundings, nowMs);
    if (step.kind === 'remove') {
      await deletePod(this.#cluster, pod, 0, kubeletContext(node));
      return;
    }
    const { uid = '' } = pod.metadata;
    const left = timeLeft(pod, nowMs);
    if (left !== undefined && left > 0) this.#timers.set(key, left);
    if (step.kind === 'none') {
      this.#orders.fulfilled(uid, outcome);
      return;
    }
    const starts = textAt(pod, 'status', 'phase') !== 'Running' && step.status['phase'] === 'Running';
    if (starts) this.#orders.started(pod);
    if (!jsonEqual(step.status, pod['status'])) {
      const context = kubeletContext(node);
      /* Made again of what is stored by then, which others may have changed. */
      await writePodStatus(
        this.#cluster,
        pod,
        (live) => {
          const again = nextStep(live, outcome, surroundings, nowMs);
          return again.kind === 'status' ? again.status : objectAt(live, 'status');
        },
        context,
      );
      for (const report of step.reports) await this.#report(pod, node, report);
    }
    if (step.applied && !(starts && isEnding(outcome))) this.#orders.fulfilled(uid, outcome);
  }

  #surroundings(pod: KubeObject, node: string, index: number): Surroundings {
    return {
      now: formatSeconds(this.#cluster.now()),
      hostIP: nodeAddress(index),
      podIP: textAt(pod, 'status', 'podIP') || this.#addresses.free(node, index),
    };
  }

  #report(regarding: KubeObject, host: string, report: Report): Promise<void> {
    return record(this.#cluster, { regarding, component: 'kubelet', host, ...report });
  }
}
