import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { nodeInfo, podInfo, type PodInfo, type Snapshot } from '../snapshot.js';

/** Returns a pod with one container. */
export function pod(
  name: string,
  { requests = {}, labels = {}, status = {}, ...spec }: Record<string, unknown> = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, labels: labels as Record<string, string> },
    spec: {
      containers: [{ name: 'c', image: 'x', resources: { requests: requests as JsonObject } }],
      ...(spec as JsonObject),
    },
    status: { phase: 'Pending', ...(status as JsonObject) },
  };
}

/** Returns a node of 4 cpu and 8Gi memory. */
export function node(
  name: string,
  {
    labels = {},
    allocatable = {},
    ...spec
  }: { labels?: Record<string, string>; allocatable?: JsonObject } & JsonObject = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec,
    status: {
      allocatable: { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi', pods: '110', ...allocatable },
    },
  };
}

/** Returns the snapshot of nodes, and of pods that have a node or a nominated node. */
export function snapshot(
  nodes: readonly KubeObject[],
  pods: readonly KubeObject[] = [],
  budgets: readonly KubeObject[] = [],
): Snapshot {
  const infos = pods.map(podInfo);
  return {
    nodes: nodes.map((one) =>
      nodeInfo(
        one,
        infos.filter(({ nodeName }) => nodeName === one.metadata.name),
      ),
    ),
    nominated: infos.filter((info: PodInfo) => info.nodeName === '' && info.nominatedNode !== ''),
    budgets,
    namespaceLabels: (name) => ({ 'kubernetes.io/metadata.name': name }),
  };
}
