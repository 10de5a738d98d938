import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import { amountsOf, podRequests, scoredRequests, type Amounts } from './resources.js';

/** What the scheduler reads of a pod. */
export interface PodInfo {
  pod: KubeObject;
  uid: string;
  namespace: string;
  labels: Readonly<Record<string, string>>;
  priority: number;
  requests: Amounts;
  scored: { cpu: number; memory: number };
  tolerations: readonly JsonObject[];
  hostPorts: readonly HostPort[];
  /** Empty while the pod has no node. */
  nodeName: string;
  /** The node that is being made free for the pod; empty without one. */
  nominatedNode: string;
}

/** A port of the node that a container uses. */
export interface HostPort {
  ip: string;
  protocol: string;
  port: number;
}

/** A node and the pods on it. */
export interface NodeInfo {
  node: KubeObject;
  name: string;
  allocatable: Amounts;
  taints: readonly JsonObject[];
  pods: readonly PodInfo[];
}

/** What a decision is based on. */
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

/** Returns what the scheduler reads of a pod. */
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

/** Returns what the scheduler reads of a node, with the pods on it. */
export function nodeInfo(node: KubeObject, pods: readonly PodInfo[]): NodeInfo {
  return {
    node,
    name: node.metadata.name,
    allocatable: amountsOf(objectAt(node, 'status', 'allocatable')),
    taints: objectsAt(node, 'spec', 'taints'),
    pods,
  };
}
