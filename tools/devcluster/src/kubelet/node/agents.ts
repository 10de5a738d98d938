import type { Cluster } from '../../api/cluster.js';
import { createObject } from '../../api/create.js';
import { updateObject } from '../../api/update.js';
import { leaseKind } from '../../builtin/lease.js';
import { nodeKind } from '../../builtin/node.js';
import { KeyedTimers } from '../../controllers/keyed-timers.js';
import { microTime, record } from '../../controllers/events.js';
import { Worker } from '../../controllers/worker.js';
import { formatSeconds, objectAt, objectsAt, type KubeObject } from '../../object.js';
import type { Json } from '../../schema/types.js';
import { kubeletContext } from './identity.js';
import { nodeObject, nodeStatus } from './object.js';
import type { NodeOptions, NodeRuntime } from './options.js';

const leaseNamespace = 'kube-node-lease';
const leaseSeconds = 40;
const renewMs = 10_000;
const reportMs = 300_000;

interface Agent {
  options: NodeOptions;
  index: number;
  isUp: boolean;
  /** The monotonic time at which the status was last reported. */
  reportedAt: number;
}

/** The part of the kubelets that registers nodes and reports them as ready. */
export class NodeAgents {
  readonly #cluster: Cluster;
  readonly #agents: ReadonlyMap<string, Agent>;
  readonly #worker: Worker;
  readonly #timers: KeyedTimers;

  constructor(cluster: Cluster, nodes: readonly NodeOptions[]) {
    this.#cluster = cluster;
    this.#worker = new Worker(cluster.clock, (name) => this.#beat(name));
    this.#timers = new KeyedTimers(cluster.clock, (name) => this.#worker.add(name));
    this.#agents = new Map(
      nodes.map((options, index) => [options.name, { options, index, isUp: false, reportedAt: -Infinity }]),
    );
  }

  /** Starts the kubelet of every node: all are registered and ready afterwards. */
  async start(): Promise<void> {
    for (const name of this.#agents.keys()) await this.restore(name);
  }

  /** Stops all kubelets. */
  stop(): void {
    this.#worker.stop();
    this.#timers.stop();
  }

  /** Returns the number of a node with this runtime whose kubelet runs, or undefined for any other node. */
  indexOf(name: string, runtime: NodeRuntime): number | undefined {
    const agent = this.#agents.get(name);
    if (agent?.isUp !== true || (agent.options.runtime ?? 'simulated') !== runtime) return undefined;
    return agent.index;
  }

  /**
   * Stops the kubelet of a node, whose lease is then no longer renewed. @throws Error if this process does not run the
   * kubelet of the node
   */
  lose(name: string): void {
    this.#agent(name).isUp = false;
    this.#timers.clear(name);
  }

  /**
   * Starts the kubelet of a node, which registers the node if it is missing. @throws Error if this process does not run
   * the kubelet of the node
   */
  async restore(name: string): Promise<void> {
    const agent = this.#agent(name);
    await this.#register(agent);
    agent.isUp = true;
    agent.reportedAt = -Infinity;
    await this.#beat(name);
  }

  #agent(name: string): Agent {
    const agent = this.#agents.get(name);
    if (agent === undefined) {
      throw new Error(`the node "${name}" is not one of the nodes that startDevCluster was given`);
    }
    return agent;
  }

  async #register({ options, index }: Agent): Promise<void> {
    if (this.#cluster.store.get('nodes', options.name) !== undefined) return;
    const now = formatSeconds(this.#cluster.now());
    const node = nodeObject(options, index);
    const status = nodeStatus(node, options, index, now);
    await createObject(this.#cluster, nodeKind, '', { ...node, status }, kubeletContext(options.name));
  }

  /**
   * Renews the Lease of a node and reports its status. A deleted node is not registered again before its kubelet
   * restarts.
   */
  async #beat(name: string): Promise<void> {
    const agent = this.#agent(name);
    const node = this.#cluster.store.get('nodes', name)?.object;
    if (!agent.isUp || node === undefined) return;
    this.#timers.set(name, renewMs);
    await this.#renewLease(name, node.metadata.uid ?? '');
    await this.#report(agent, node);
  }

  async #renewLease(name: string, uid: string): Promise<void> {
    const context = kubeletContext(name);
    const renewTime = microTime(this.#cluster.now());
    const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
    const owner = { apiVersion: 'v1', kind: 'Node', name, uid };
    const lease: KubeObject = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: leaseNamespace, ownerReferences: [owner] },
      spec,
    };
    if (this.#cluster.store.get(leaseKind.collection, `${leaseNamespace}/${name}`) === undefined) {
      await createObject(this.#cluster, leaseKind, leaseNamespace, lease, context);
      return;
    }
    const change = (live: KubeObject): KubeObject => ({
      ...live,
      metadata: { ...live.metadata, ownerReferences: [owner] },
      spec,
    });
    await updateObject(this.#cluster, leaseKind, { namespace: leaseNamespace, name, change }, context);
  }

  /** Reports the status of a node when it is not ready, and otherwise every five minutes. */
  async #report(agent: Agent, node: KubeObject): Promise<void> {
    const { options, index } = agent;
    const monotonic = this.#cluster.clock.monotonic();
    const ready = readyOf(node);
    if (ready === 'True' && monotonic - agent.reportedAt < reportMs) return;
    const now = formatSeconds(this.#cluster.now());
    const change = (live: KubeObject): KubeObject => ({
      ...live,
      status: { ...objectAt(live, 'status'), ...nodeStatus(live, options, index, now) },
    });
    const context = kubeletContext(options.name);
    await updateObject(
      this.#cluster,
      nodeKind,
      { namespace: '', name: options.name, subresource: 'status', change },
      context,
    );
    const isFirst = agent.reportedAt === -Infinity;
    agent.reportedAt = monotonic;
    if (ready === 'True' && !isFirst) return;
    await record(this.#cluster, {
      regarding: node,
      type: 'Normal',
      reason: 'NodeReady',
      note: `Node ${options.name} status is now: NodeReady`,
      component: 'kubelet',
      host: options.name,
    });
  }
}

function readyOf(node: KubeObject): Json | undefined {
  return objectsAt(node, 'status', 'conditions').find(({ type }) => type === 'Ready')?.['status'];
}
