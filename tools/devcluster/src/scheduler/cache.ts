import { textAt, type KubeObject } from '../object.js';
import type { StoreEvent } from '../store/entry.js';
import type { Store } from '../store/store.js';
import { needsNode, occupies } from './relevant.js';
import { nodeInfo, podInfo, type NodeInfo, type PodInfo, type Snapshot } from './snapshot.js';

/**
 * The nodes and pods as they are stored, kept up to date by store events, so that the cost of a decision depends only
 * on the changes since the previous decision. Source: Kubernetes pkg/scheduler/backend/cache.
 */
export class SchedulerCache {
  readonly #store: Store;
  /** The pods that use resources of a node, by node and then by key. */
  readonly #onNode = new Map<string, Map<string, KubeObject>>();
  /** The pods that need a node, by key. */
  readonly #waiting = new Map<string, KubeObject>();
  /** Pods without a node for which a node is being made free. */
  readonly #nominated = new Map<string, KubeObject>();
  /** Nodes by name, until the node or one of its pods changes. */
  readonly #nodes = new Map<string, NodeInfo>();
  /** The parsed form of stored pods, which never change. */
  readonly #infos = new WeakMap<KubeObject, PodInfo>();

  constructor(store: Store) {
    this.#store = store;
    for (const { key, object } of store.entries('pods')) this.#add(key, object);
  }

  /** Updates the index after a change. */
  take({ type, entry, previous }: StoreEvent): void {
    const { collection, key, object } = entry;
    if (collection === 'nodes') this.#nodes.delete(key);
    if (collection !== 'pods') return;
    if (previous !== undefined) this.#remove(key, previous.object);
    if (type !== 'DELETED') this.#add(key, object);
  }

  /** Returns the pods that need a node. */
  waiting(): PodInfo[] {
    return [...this.#waiting.values()].map((pod) => this.#infoOf(pod));
  }

  /** Returns a pod as it is stored; undefined when it does not need a node. */
  waitingPod(key: string): PodInfo | undefined {
    const pod = this.#waiting.get(key);
    return pod && this.#infoOf(pod);
  }

  /** Returns the current inputs of a decision. */
  snapshot(): Snapshot {
    const store = this.#store;
    return {
      nodes: store.entries('nodes').map(({ object }) => this.#nodeOf(object)),
      nominated: [...this.#nominated.values()].map((pod) => this.#infoOf(pod)),
      budgets: store.entries('poddisruptionbudgets.policy').map(({ object }) => object),
      namespaceLabels: (name) => store.get('namespaces', name)?.object.metadata.labels ?? {},
    };
  }

  #nodeOf(node: KubeObject): NodeInfo {
    const { name } = node.metadata;
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const pods = [...(this.#onNode.get(name) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    const info = nodeInfo(
      node,
      pods.map(([, pod]) => this.#infoOf(pod)),
    );
    this.#nodes.set(name, info);
    return info;
  }

  #add(key: string, pod: KubeObject): void {
    if (needsNode(pod)) {
      this.#waiting.set(key, pod);
      if (textAt(pod, 'status', 'nominatedNodeName') !== '') this.#nominated.set(key, pod);
    }
    if (!occupies(pod)) return;
    const node = textAt(pod, 'spec', 'nodeName');
    this.#nodes.delete(node);
    const pods = this.#onNode.get(node) ?? new Map<string, KubeObject>();
    this.#onNode.set(node, pods.set(key, pod));
  }

  #remove(key: string, pod: KubeObject): void {
    this.#waiting.delete(key);
    this.#nominated.delete(key);
    const node = textAt(pod, 'spec', 'nodeName');
    this.#nodes.delete(node);
    const pods = this.#onNode.get(node);
    pods?.delete(key);
    if (pods?.size === 0) this.#onNode.delete(node);
  }

  #infoOf(pod: KubeObject): PodInfo {
    const known = this.#infos.get(pod) ?? podInfo(pod);
    this.#infos.set(pod, known);
    return known;
  }
}
