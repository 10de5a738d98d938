import { objectAt } from '../object.js';
import { selectsNode } from './node-selection.js';
import { brokenPodRule } from './pod-affinity.js';
import { withPods, type HostPort, type NodeInfo, type PodInfo, type Snapshot } from './snapshot.js';
import { tolerates, untolerated } from './taints.js';

/** Why a pod cannot run on a node. */
export interface Misfit {
  /** Reasons in the wording of the scheduler. */
  reasons: readonly string[];
  /** Whether removing other pods from the node would not help. */
  unresolvable: boolean;
}

type Filter = (pod: PodInfo, node: NodeInfo, snapshot: Snapshot) => Misfit | undefined;

const unresolvable = (reason: string): Misfit => ({ reasons: [reason], unresolvable: true });
const cordonTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Filters in the order of the scheduler's plugins. The first one that refuses a node determines the reasons. */
const filters: readonly Filter[] = [
  ({ tolerations }, { node }) =>
    objectAt(node, 'spec')['unschedulable'] === true &&
    !tolerations.some((one) => tolerates(one, cordonTaint))
      ? unresolvable('node(s) were unschedulable')
      : undefined,
  ({ tolerations }, { taints }) =>
    untolerated(taints, tolerations, ['NoSchedule', 'NoExecute']).length > 0
      ? unresolvable('node(s) had untolerated taint(s)')
      : undefined,
  ({ pod }, { node }) =>
    selectsNode(pod, node) ? undefined : unresolvable("node(s) didn't match Pod's node affinity/selector"),
  ({ hostPorts }, { pods }) =>
    hostPorts.some((port) => pods.some((other) => other.hostPorts.some((used) => clashes(port, used))))
      ? { reasons: ["node(s) didn't have free ports for the requested pod ports"], unresolvable: false }
      : undefined,
  missingResources,
  (pod, node, snapshot) => {
    const broken = brokenPodRule(pod, node, snapshot);
    return broken && { reasons: [broken.reason], unresolvable: broken.unresolvable };
  },
];

/** Returns why a pod does not fit on a node in its current state; undefined when it fits. */
function misfit(pod: PodInfo, node: NodeInfo, snapshot: Snapshot): Misfit | undefined {
  for (const filter of filters) {
    const found = filter(pod, node, snapshot);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns why a pod does not fit on a node, including the nominated pods of at least its priority. */
export function misfitWithNominated(pod: PodInfo, node: NodeInfo, snapshot: Snapshot): Misfit | undefined {
  const coming = snapshot.nominated.filter(
    (other) => other.nominatedNode === node.name && other.priority >= pod.priority && other.uid !== pod.uid,
  );
  if (coming.length === 0) return misfit(pod, node, snapshot);
  const full = withPods(node, [...node.pods, ...coming]);
  return misfit(pod, full, withNode(snapshot, full)) ?? misfit(pod, node, snapshot);
}

/** Returns the snapshot with another state of a node. */
export function withNode(snapshot: Snapshot, node: NodeInfo): Snapshot {
  return { ...snapshot, nodes: snapshot.nodes.map((one) => (one.name === node.name ? node : one)) };
}

function clashes(a: HostPort, b: HostPort): boolean {
  const any = '0.0.0.0';
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === any || b.ip === any);
}

const first = ['cpu', 'memory', 'ephemeral-storage'];

function missingResources({ requests }: PodInfo, { allocatable, pods, used }: NodeInfo): Misfit | undefined {
  const others = [...requests.keys()].filter((name) => !first.includes(name)).sort();
  const missing = [...first, ...others].filter((name) => {
    const requested = requests.get(name) ?? 0;
    return requested > 0 && requested > (allocatable.get(name) ?? 0) - (used.get(name) ?? 0);
  });
  const crowded = pods.length + 1 > (allocatable.get('pods') ?? 0);
  const reasons = [...(crowded ? ['Too many pods'] : []), ...missing.map((name) => `Insufficient ${name}`)];
  if (reasons.length === 0) return undefined;
  const tooSmall = missing.some((name) => (requests.get(name) ?? 0) > (allocatable.get(name) ?? 0));
  return { reasons, unresolvable: tooSmall };
}
