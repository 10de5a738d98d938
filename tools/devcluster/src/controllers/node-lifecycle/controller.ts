import type { Cluster } from '../../api/cluster.js';
import { updateObject, type Update } from '../../api/update.js';
import { nodeKind } from '../../builtin/node.js';
import { formatSeconds, objectAt, objectsAt, textAt, type KubeObject } from '../../object.js';
import { jsonEqual } from '../../schema/json.js';
import type { JsonObject } from '../../schema/types.js';
import type { StoreEvent } from '../../store/entry.js';
import { KeyedTimers } from '../keyed-timers.js';
import { record } from '../events.js';
import { controller } from '../identity.js';
import { conditionOf, isReady } from '../pod-state.js';
import { podsOnNode, writePodCondition } from '../pod-writes.js';
import { Worker } from '../worker.js';
import { decideNode, graceMs } from './decide.js';

const leases = 'leases.coordination.k8s.io';
const leaseNamespace = 'kube-node-lease';
const component = 'node-controller';

/**
 * Reports nodes that no longer renew their lease as lost, taints nodes by their conditions, and reports the pods of a
 * node that is not ready as not ready.
 */
export class NodeLifecycle {
  readonly #cluster: Cluster;
  readonly #worker: Worker;
  readonly #timers: KeyedTimers;
  /** When each node last reported, by the monotonic clock. */
  readonly #reported = new Map<string, number>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#worker = new Worker(cluster.clock, (name) => this.#sync(name));
    this.#timers = new KeyedTimers(cluster.clock, (name) => this.#worker.add(name));
  }

  /** Starts with the stored objects. Returns a function that stops the controller. */
  start(): () => void {
    const { store } = this.#cluster;
    for (const { key } of store.entries('nodes')) this.#noteReport(key);
    const unsubscribe = store.subscribe((event) => this.#take(event));
    return () => {
      unsubscribe();
      this.#worker.stop();
      this.#timers.stop();
    };
  }

  #take({ type, entry, previous }: StoreEvent): void {
    const { collection, object } = entry;
    const { name } = object.metadata;
    if (collection === 'nodes' && type === 'DELETED') this.#forget(object);
    else if (collection === 'nodes') {
      if (type === 'ADDED') this.#announce(object, 'RegisteredNode', `Registered Node ${name} in Controller`);
      if (previous === undefined || isHeartbeat(object, previous.object)) this.#noteReport(name);
      else this.#worker.add(name);
    } else if (collection === leases && entry.namespace === leaseNamespace && type !== 'DELETED') {
      if (this.#reported.has(name)) this.#noteReport(name);
    } else if (collection === 'pods' && type !== 'DELETED' && isReady(object)) {
      const node = textAt(object, 'spec', 'nodeName');
      if (this.#reported.has(node)) this.#worker.add(node);
    }
  }

  #noteReport(name: string): void {
    this.#reported.set(name, this.#cluster.clock.monotonic());
    this.#worker.add(name);
  }

  #forget(node: KubeObject): void {
    const { name } = node.metadata;
    this.#reported.delete(name);
    this.#timers.clear(name);
    this.#announce(node, 'RemovingNode', `Removing Node ${name} from Controller`);
  }

  #announce(node: KubeObject, reason: string, what: string): void {
    const note = `Node ${node.metadata.name} event: ${what}`;
    const recorded = record(this.#cluster, { regarding: node, type: 'Normal', reason, note, component });
    void recorded.catch(() => undefined);
  }

  async #sync(name: string): Promise<void> {
    const node = this.#cluster.store.get('nodes', name)?.object;
    const reported = this.#reported.get(name);
    if (node === undefined || reported === undefined) return;
    const silentMs = this.#cluster.clock.monotonic() - reported;
    const now = formatSeconds(this.#cluster.now());
    const decided = decideNode(node, silentMs, now);
    if (silentMs < graceMs) this.#timers.set(name, graceMs - silentMs);
    if (!jsonEqual(decided.taints, objectsAt(node, 'spec', 'taints'))) {
      await this.#write(node, undefined, (live) => withTaints(live, decideNode(live, silentMs, now).taints));
    }
    if (!jsonEqual(decided.conditions, objectsAt(node, 'status', 'conditions'))) {
      await this.#write(node, 'status', (live) => ({
        ...live,
        status: { ...objectAt(live, 'status'), conditions: [...decideNode(live, silentMs, now).conditions] },
      }));
      const note = `Node ${name} status is now: NodeNotReady`;
      await record(this.#cluster, {
        regarding: node,
        type: 'Normal',
        reason: 'NodeNotReady',
        note,
        component,
      });
    }
    if (decided.ready !== undefined && decided.ready !== 'True') await this.#reportPods(name);
  }

  async #write(
    { metadata }: KubeObject,
    subresource: string | undefined,
    change: (live: KubeObject) => KubeObject,
  ): Promise<void> {
    const update: Update = {
      namespace: '',
      name: metadata.name,
      subresource,
      change: (live) => (live.metadata.uid === metadata.uid ? change(live) : live),
    };
    await updateObject(this.#cluster, nodeKind, update, controller);
  }

  async #reportPods(node: string): Promise<void> {
    for (const pod of podsOnNode(this.#cluster, node)) {
      if (!isReady(pod)) continue;
      const ready = conditionOf(pod, 'Ready');
      await writePodCondition(this.#cluster, pod, { ...ready, type: 'Ready', status: 'False' }, controller);
      await record(this.#cluster, {
        regarding: pod,
        type: 'Warning',
        reason: 'NodeNotReady',
        note: 'Node is not ready',
        component,
      });
    }
  }
}

/**
 * Returns whether the kubelet made a change of a node. This controller also changes nodes: it reports them as lost.
 */
function isHeartbeat(node: KubeObject, before: KubeObject): boolean {
  const beat = heartbeat(node);
  return beat !== '' && beat !== heartbeat(before);
}

function heartbeat(node: KubeObject): string {
  const ready = conditionOf(node, 'Ready');
  return ready === undefined || ready['status'] === 'Unknown' ? '' : textAt(ready, 'lastHeartbeatTime');
}

function withTaints(node: KubeObject, taints: readonly JsonObject[]): KubeObject {
  const { taints: _taints, ...spec } = objectAt(node, 'spec');
  return { ...node, spec: { ...spec, ...(taints.length > 0 && { taints: [...taints] }) } };
}
