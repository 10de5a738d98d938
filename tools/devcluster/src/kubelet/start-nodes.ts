import { updateObject } from '../api/update.js';
import { nodeKind } from '../builtin/node.js';
import { controller } from '../controllers/identity.js';
import { objectAt, textAt, type KubeObject } from '../object.js';
import { keyOf } from '../store/entry.js';
import { Scheduler } from '../scheduler/scheduler.js';
import { NodeAgents } from './node/agents.js';
import type { NodeOptions } from './node/options.js';
import { startKubelet, type KubeletEnvironment, type KubeletOptions } from './start.js';
import { SimulatedKubelet } from './simulated/kubelet.js';
import type { SimulationRule } from './simulated/orders.js';
import type { Outcome } from './simulated/outcome.js';

/** Operations on the nodes that `startDevCluster` started. Each method throws for any other node. */
export interface Nodes {
  /** Stops the kubelet of a node like a crash: its lease is no longer renewed, and its pods do not change. */
  lose(name: string): void;
  /** Starts the kubelet of a node again; it registers the node if it was deleted. */
  restore(name: string): Promise<void>;
  /** Marks a node as unschedulable. */
  cordon(name: string): Promise<void>;
  /** Marks a node as schedulable. */
  uncordon(name: string): Promise<void>;
  /**
   * Sends SIGKILL to all processes of a container that runs as a process of this machine. Throws when there is none.
   */
  kill(pod: { namespace: string; name: string }, container: string): void;
}

/** Operations on the pods of simulated nodes, which become ready immediately by default. */
export interface SimulatedPods {
  /**
   * Sets the outcome of a pod. Resolves when the resulting status is stored, after the pod was scheduled and started.
   * @throws Error if the pod does not exist, or is deleted earlier
   */
  simulate(pod: { namespace: string; name: string }, outcome: Outcome): Promise<void>;
  /**
   * Sets the outcome of future pods; the newest matching rule takes effect. Returns a function that removes the rule;
   * pods that the rule held then continue.
   */
  addRule(rule: SimulationRule): () => void;
}

/** The running nodes of a cluster. */
interface RunningNodes {
  nodes: Nodes;
  pods: SimulatedPods;
  stop(): Promise<void>;
}

/** Starts the nodes of a cluster, which are ready afterwards, and the scheduler; without nodes there is no scheduler. */
export async function startNodes(
  environment: KubeletEnvironment,
  { nodes, kubelets }: { nodes: readonly NodeOptions[]; kubelets: readonly KubeletOptions[] },
): Promise<RunningNodes> {
  const { cluster } = environment;
  const agents = new NodeAgents(cluster, nodes);
  await agents.start();
  const processNodes = nodes.filter(({ runtime }) => runtime === 'process');
  const ends = [...kubelets, ...processNodes.map(({ name }) => ({ nodeName: name }))].map((one) =>
    startKubelet(one, environment),
  );
  const kubelet = new SimulatedKubelet(cluster, (node) => agents.indexOf(node, 'simulated'));
  const stops = nodes.length === 0 ? [] : [kubelet.start(), new Scheduler(cluster).start()];
  const setUnschedulable = async (name: string, unschedulable: boolean): Promise<void> => {
    const change = (live: KubeObject): KubeObject => {
      const { unschedulable: _before, ...spec } = objectAt(live, 'spec');
      return { ...live, spec: unschedulable ? { ...spec, unschedulable } : spec };
    };
    await updateObject(
      cluster,
      nodeKind,
      { namespace: '', name, change },
      { ...controller, manager: 'kubectl' },
    );
  };
  return {
    nodes: {
      lose: (name) => {
        if (processNodes.some((node) => node.name === name)) {
          throw new Error(
            `the node "${name}" runs processes, which would go on; only simulated nodes can be lost`,
          );
        }
        agents.lose(name);
      },
      restore: async (name) => {
        await agents.restore(name);
        kubelet.resync(name);
      },
      cordon: (name) => setUnschedulable(name, true),
      uncordon: (name) => setUnschedulable(name, false),
      kill: ({ namespace, name }, container) => {
        const pod = cluster.store.get('pods', keyOf(namespace, name))?.object;
        const node = pod === undefined ? undefined : cluster.kubelets.get(textAt(pod, 'spec', 'nodeName'));
        if (node?.kill(pod?.metadata.uid ?? '', container) !== true) {
          throw new Error(`no container "${container}" of a pod "${namespace}/${name}" runs as a process`);
        }
      },
    },
    pods: kubelet,
    stop: async () => {
      agents.stop();
      for (const stop of stops) stop();
      await Promise.all(ends.map((end) => end()));
    },
  };
}
