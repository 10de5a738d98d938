import type { Cluster } from '../api/cluster.js';
import { record } from '../controllers/events.js';
import { deletePod, withCondition, writePodCondition, writePodStatus } from '../controllers/pod-writes.js';
import { Worker } from '../controllers/worker.js';
import { formatSeconds, objectAt, objectsAt, textAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import type { StoreEvent } from '../store/entry.js';
import { RevisionError } from '../store/errors.js';
import { bind } from './bind.js';
import { decide, type Decision } from './decide.js';
import { schedulerContext, schedulerName } from './identity.js';
import { SchedulingQueue } from './queue.js';
import { helped, needsNode, occupies } from './relevant.js';
import { nodeInfo, podInfo, type PodInfo, type Snapshot } from './snapshot.js';

const pass = 'pass';

/** Gives pods a node. Source: Kubernetes pkg/scheduler. */
export class Scheduler {
  readonly #cluster: Cluster;
  readonly #queue: SchedulingQueue;
  readonly #worker = new Worker(() => this.#pass());
  /** What was read of stored objects, which never change. */
  readonly #pods = new WeakMap<KubeObject, PodInfo>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#queue = new SchedulingQueue(() => cluster.clock.monotonic());
  }

  /** Starts with what is stored already; returns what ends it. */
  start(): () => void {
    const unsubscribe = this.#cluster.store.subscribe((event) => this.#take(event));
    this.#worker.add(pass);
    return () => {
      unsubscribe();
      this.#worker.stop();
    };
  }

  #take(event: StoreEvent): void {
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
    for (const { pod } of this.#queue.next(this.#waiting())) {
      const current = this.#cluster.store.get('pods', keyFor(pod))?.object;
      if (current === undefined || !needsNode(current)) continue;
      try {
        await this.#schedule(this.#infoOf(current));
      } catch (error) {
        failed ??= error;
      }
    }
    if (failed !== undefined) throw failed;
  }

  #waiting(): PodInfo[] {
    const pods = this.#cluster.store.entries('pods').filter(({ object }) => needsNode(object));
    return pods.map(({ object }) => this.#infoOf(object));
  }

  #infoOf(pod: KubeObject): PodInfo {
    const known = this.#pods.get(pod) ?? podInfo(pod);
    this.#pods.set(pod, known);
    return known;
  }

  async #schedule(info: PodInfo): Promise<void> {
    const { store } = this.#cluster;
    const decision = decide(info, this.#snapshot());
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

  #snapshot(): Snapshot {
    const { store } = this.#cluster;
    const pods = store.entries('pods').map(({ object }) => object);
    const byNode = new Map<string, PodInfo[]>();
    for (const pod of pods.filter(occupies)) {
      const info = this.#infoOf(pod);
      byNode.set(info.nodeName, [...(byNode.get(info.nodeName) ?? []), info]);
    }
    return {
      nodes: store.entries('nodes').map(({ object, key }) => nodeInfo(object, byNode.get(key) ?? [])),
      nominated: pods
        .filter((pod) => needsNode(pod) && textAt(pod, 'status', 'nominatedNodeName') !== '')
        .map((pod) => this.#infoOf(pod)),
      budgets: store.entries('poddisruptionbudgets.policy').map(({ object }) => object),
      namespaceLabels: (name) => store.get('namespaces', name)?.object.metadata.labels ?? {},
    };
  }

  async #refuse(
    { pod, priority }: PodInfo,
    { message, nominatedNode, victims }: Extract<Decision, { kind: 'unschedulable' }>,
  ): Promise<void> {
    const now = formatSeconds(this.#cluster.now());
    const statusOf = (live: KubeObject): JsonObject => {
      const { nominatedNodeName, ...status } = objectAt(live, 'status');
      const node = nominatedNode ?? nominatedNodeName ?? '';
      const conditions = withCondition(
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

  /** Has less important pods search again for which the node was being made free. */
  async #withdrawNominations(node: string, priority: number): Promise<void> {
    for (const other of this.#waiting()) {
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

function keyFor({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
