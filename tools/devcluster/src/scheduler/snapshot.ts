import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { amountsOf, podRequests, scoredRequests, sumOf, type Amounts } from './resources.js';

/** The properties of a pod that the scheduler uses. */
export interface PodInfo {
  pod: KubeObject;
  uid: string;
  namespace: string;
  labels: Readonly<Record<string, string>>;
  priority: number;
  requests: Amounts;
  /** The cpu and memory that count when nodes are compared. */
  scored: Amounts;
  /** The required terms about the pods to be near, and about the pods to be apart from. */
  affinity: readonly JsonObject[];
  antiAffinity: readonly JsonObject[];
  tolerations: readonly JsonObject[];
  hostPorts: readonly HostPort[];
  /** Empty while the pod has no node. */
  nodeName: string;
  /** The node that is being made free for the pod; empty when there is none. */
  nominatedNode: string;
}

/** A port of the node that a container uses. */
export interface HostPort {
  ip: string;
  protocol: string;
  port: number;
}

/** The properties of a node that the scheduler uses. */
interface NodeFacts {
  node: KubeObject;
  name: string;
  allocatable: Amounts;
  taints: readonly JsonObject[];
}

/** A node and the pods on it. */
export interface NodeInfo extends NodeFacts {
  pods: readonly PodInfo[];
  /** The sum of the amounts that the pods request. */
  used: Amounts;
  /** The amounts that count for these pods when nodes are compared. */
  scored: Amounts;
  /** The pods with required terms about the pods to be apart from. */
  averse: readonly PodInfo[];
}

/** The inputs of a decision. */
export interface Snapshot {
  /** Ordered by name. */
  nodes: readonly NodeInfo[];
  /** The pods without a node for which one is being made free. */
  nominated: readonly PodInfo[];
  /** The PodDisruptionBudgets. */
  budgets: readonly KubeObject[];
  /** The labels of a namespace. */
  namespaceLabels: (namespace: string) => Readonly<Record<string, string>>;
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';

/** Returns the properties of a pod that the scheduler uses. */
export function podInfo(pod: KubeObject): PodInfo {
  const priority = valueAt(pod, 'spec', 'priority');
  return {
    pod,
    uid: pod.metadata.uid ?? '',
    namespace: pod.metadata.namespace ?? '',
    labels: pod.metadata.labels ?? {},
    priority: typeof priority === 'number' ? priority : 0,
    requests: podRequests(pod),
    scored: scoredRequests(pod),
    affinity: objectsAt(pod, 'spec', 'affinity', 'podAffinity', required),
    antiAffinity: objectsAt(pod, 'spec', 'affinity', 'podAntiAffinity', required),
    tolerations: objectsAt(pod, 'spec', 'tolerations'),
    hostPorts: objectsAt(pod, 'spec', 'containers').flatMap(hostPortsOf),
    nodeName: textAt(pod, 'spec', 'nodeName'),
    nominatedNode: textAt(pod, 'status', 'nominatedNodeName'),
  };
}

function hostPortsOf(container: JsonObject): HostPort[] {
  return objectsAt(container, 'ports').flatMap((port) => {
    const number = port['hostPort'];
    if (typeof number !== 'number' || number <= 0) return [];
    return [
      { ip: textAt(port, 'hostIP') || '0.0.0.0', protocol: textAt(port, 'protocol') || 'TCP', port: number },
    ];
  });
}

/** Returns the properties of a node that the scheduler uses, with the pods on the node. */
export function nodeInfo(node: KubeObject, pods: readonly PodInfo[]): NodeInfo {
  const facts = {
    node,
    name: node.metadata.name,
    allocatable: amountsOf(objectAt(node, 'status', 'allocatable')),
    taints: objectsAt(node, 'spec', 'taints'),
  };
  return withPods(facts, pods);
}

/** Returns a node with other pods on it. */
export function withPods({ node, name, allocatable, taints }: NodeFacts, pods: readonly PodInfo[]): NodeInfo {
  return {
    node,
    name,
    allocatable,
    taints,
    pods,
    used: sumOf(pods.map(({ requests }) => requests)),
    scored: sumOf(pods.map(({ scored }) => scored)),
    averse: pods.filter(({ antiAffinity }) => antiAffinity.length > 0),
  };
}
