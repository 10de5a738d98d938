import type { NodeOptions } from './options.js';
import { objectsAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';

const kubeletPort = 10250;
const defaultCapacity = { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi', pods: '110' };

/** The pressure conditions that a kubelet reports, with the reason and the message when there is no pressure. */
const pressures = [
  ['MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
] as const;

/** The address of a node whose pods are processes of this machine. */
export const machineAddress = '127.0.0.1';

/** Returns the address of a simulated node; `index`: its number among the nodes, from 0. */
export function nodeAddress(index: number): string {
  return `10.0.0.${String(index + 1)}`;
}

/** Returns the first address in the node's range that no pod has; .0.0 and .0.1 are not for pods. */
export function freePodAddress(index: number, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number += 1) {
    const address = `${podNetwork(index)}.${String(number >> 8)}.${String(number & 255)}`;
    if (!taken.has(address)) return address;
  }
}

function podNetwork(index: number): string {
  return `10.${String(100 + index)}`;
}

/** Returns a Node to create. */
export function nodeObject({ name, labels, taints }: NodeOptions, index: number): KubeObject {
  const podCIDR = `${podNetwork(index)}.0.0/16`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...labels,
      },
      annotations: {
        'node.alpha.kubernetes.io/ttl': '0',
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
      },
    },
    spec: {
      podCIDR,
      podCIDRs: [podCIDR],
      ...(taints !== undefined && { taints: taints.map((taint) => ({ ...taint })) }),
    },
  };
}

/**
 * Returns the status that the kubelet of a node reports.
 *
 * @param node the stored node; conditions that do not change keep the time of their transition
 * @param now RFC 3339
 */
export function nodeStatus(
  node: KubeObject,
  { name, capacity, runtime = 'simulated' }: NodeOptions,
  index: number,
  now: string,
): JsonObject {
  const before = objectsAt(node, 'status', 'conditions');
  const condition = (type: string, status: string, reason: string, message: string): JsonObject => {
    const same = before.find((one) => one['type'] === type && one['status'] === status);
    const lastTransitionTime = same?.['lastTransitionTime'] ?? now;
    return { type, status, lastHeartbeatTime: now, lastTransitionTime, reason, message };
  };
  const resources = { ...defaultCapacity, ...capacity };
  return {
    addresses: [
      { type: 'InternalIP', address: runtime === 'process' ? machineAddress : nodeAddress(index) },
      { type: 'Hostname', address: name },
    ],
    allocatable: resources,
    capacity: resources,
    conditions: [
      ...pressures.map(([type, reason, message]) => condition(type, 'False', reason, message)),
      condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
    nodeInfo: {
      architecture: 'amd64',
      bootID: '',
      containerRuntimeVersion: `${runtime}://1.0`,
      kernelVersion: '',
      kubeProxyVersion: '',
      kubeletVersion: 'v1.36.0+devcluster',
      machineID: name,
      operatingSystem: 'linux',
      osImage: 'devcluster',
      systemUUID: name,
    },
  };
}
