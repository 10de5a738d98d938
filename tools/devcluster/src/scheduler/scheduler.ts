import type { Cluster } from '../api/cluster.js';
import { withPodCondition } from '../controllers/conditions.js';
import { record } from '../controllers/events.js';
import { deletePod, writePodCondition, writePodStatus } from '../controllers/pod-writes.js';
import { Worker } from '../controllers/worker.js';
import { formatSeconds, objectAt, objectsAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { keyOf, type StoreEvent } from '../store/entry.js';
import { RevisionError } from '../store/errors.js';
import { bind } from './bind.js';
import { SchedulerCache } from './cache.js';
import { decide, type Decision } from './decide.js';
import { schedulerContext, schedulerName } from './identity.js';
import { SchedulingQueue } from './queue.js';
import { helped, needsNode } from './relevant.js';
import type { PodInfo } from './snapshot.js';

const pass = 'pass';

/** Assigns pods to nodes. Source: Kubernetes pkg/scheduler. */
export class Scheduler {
  readonly #cluster: Cluster;
  readonly #queue: SchedulingQueue;
  readonly #cache: SchedulerCache;
  readonly #worker: Worker;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#cache = new SchedulerCache(cluster.store);
    this.#worker = new Worker(cluster.clock, () => this.#pass());
    this.#queue = new SchedulingQueue(() => cluster.clock.monotonic());
  }

  /** Starts with the stored objects. Returns a function that stops the scheduler. */
  start(): () => void {
    const unsubscribe = this.#cluster.store.subscribe((event) => this.#take(event));
    this.#worker.add(pass);
    return () => {
      unsubscribe();
      this.#worker.stop();
    };
  }

  #take(event: StoreEvent): void {
    this.#cache.take(event);
    const { collection, object } = event.entry;
    const { uid = '', generation } = object.metadata;
    const isPod = collection === 'pods';
    const waits = isPod && event.type !== 'DELETED' && needsNode(object);
    if (isPod && !waits) this.#queue.forget(uid);
    const changed = waits && generation !== event.previous?.object.metadata.generation;
    if (changed) this.#queue.unpark(uid);
    const which = helped(event);
    if (which !== 'none') this.#queue.unparkMany(which);
    if (which !== 'none' || changed) this.#worker.add(pass);
  }

  async #pass(): Promise<void> {
    let failed: unknown;
    for (const { pod } of this.#queue.next(this.#cache.waiting())) {
      const { namespace, name } = pod.metadata;
      const current = this.#cache.waitingPod(keyOf(namespace, name));
      if (current === undefined) continue;
      try {
        await this.#schedule(current);
      } catch (error) {
        failed ??= error;
      }
    }
    if (failed !== undefined) throw failed;
  }

  async #schedule(info: PodInfo): Promise<void> {
    const { store } = this.#cluster;
    const decision = decide(info, this.#cache.snapshot());
    if (decision.kind === 'unschedulable') {
      this.#queue.park(info);
      await this.#refuse(info, decision);
      return;
    }
    const node = store.get('nodes', decision.node)?.object;
    if (node === undefined) return;
    try {
      bind(this.#cluster, info.pod, node);
    } catch (error) {
      /* The change that came between brings the pod here again. */
      if (error instanceof RevisionError) return;
      throw error;
    }
    const { name, namespace = '' } = info.pod.metadata;
    const note = `Successfully assigned ${namespace}/${name} to ${decision.node}`;
    await this.#report(info.pod, 'Normal', { reason: 'Scheduled', action: 'Binding', note });
  }

  async #refuse(
    { pod, priority }: PodInfo,
    { message, nominatedNode, victims }: Extract<Decision, { kind: 'unschedulable' }>,
  ): Promise<void> {
    const now = formatSeconds(this.#cluster.now());
    const statusOf = (live: KubeObject): JsonObject => {
      const { nominatedNodeName, ...status } = objectAt(live, 'status');
      const node = nominatedNode ?? nominatedNodeName ?? '';
      const conditions = withPodCondition(
        objectsAt(live, 'status', 'conditions'),
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message,
          observedGeneration: live.metadata.generation ?? 1,
        },
        now,
      );
      return { ...status, conditions, ...(node !== '' && { nominatedNodeName: node }) };
    };
    await writePodStatus(this.#cluster, pod, statusOf, schedulerContext);
    await this.#report(pod, 'Warning', { reason: 'FailedScheduling', action: 'Scheduling', note: message });
    if (nominatedNode === undefined || victims.length === 0) return;
    await this.#withdrawNominations(nominatedNode, priority);
    for (const victim of victims) await this.#preempt(victim.pod, pod, nominatedNode);
  }

  /** Requeues less important pods for which the node was being made free. */
  async #withdrawNominations(node: string, priority: number): Promise<void> {
    for (const other of this.#cache.waiting()) {
      if (other.nominatedNode !== node || other.priority >= priority) continue;
      const statusOf = (live: KubeObject): JsonObject => {
        const { nominatedNodeName: _withdrawn, ...status } = objectAt(live, 'status');
        return status;
      };
      await writePodStatus(this.#cluster, other.pod, statusOf, schedulerContext);
    }
  }

  async #preempt(victim: KubeObject, preemptor: KubeObject, node: string): Promise<void> {
    if (victim.metadata.deletionTimestamp !== undefined) return;
    await writePodCondition(
      this.#cluster,
      victim,
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'PreemptionByScheduler',
        message: `${schedulerName}: preempting to accommodate a higher priority pod`,
        observedGeneration: victim.metadata.generation ?? 1,
      },
      schedulerContext,
    );
    await deletePod(this.#cluster, victim, undefined, schedulerContext);
    const note = `Preempted by pod ${preemptor.metadata.uid ?? ''} on node ${node}`;
    await this.#report(victim, 'Normal', { reason: 'Preempted', action: 'Preempting', note });
  }

  #report(
    regarding: KubeObject,
    type: 'Normal' | 'Warning',
    text: { reason: string; action: string; note: string },
  ): Promise<void> {
    return record(this.#cluster, { regarding, type, component: schedulerName, ...text });
  }
}
