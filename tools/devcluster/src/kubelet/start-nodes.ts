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

/** What a test does to the nodes that `startDevCluster` was given. Each method with the name of a node throws for any other. */
export interface Nodes {
  /** Stops the kubelet of a node, as a crash does: its lease is renewed no more, its pods are left alone. */
  lose(name: string): void;
  /** Starts the kubelet of a node again; it registers the node if that was deleted. */
  restore(name: string): Promise<void>;
  /** Keeps new pods off a node. */
  cordon(name: string): Promise<void>;
  /** Lets new pods on a node again. */
  uncordon(name: string): Promise<void>;
  /**
   * Sends SIGKILL to all processes of a container that runs as a process of this machine. Throws when there is none.
   */
  kill(pod: { namespace: string; name: string }, container: string): void;
}

/** What a test has the pods of simulated nodes do; without it they run and are ready at once. */
export interface SimulatedPods {
  /**
   * Has a pod do something. Resolves once that is stored, which is after the pod has a node and has started.
   *
   * @throws Error when there is no such pod, or when it goes before.
   */
  simulate(pod: { namespace: string; name: string }, outcome: Outcome): Promise<void>;
  /** Sets what pods to come do; the newest rule that applies counts. Returns what ends the rule: pods that it holds go on then. */
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
