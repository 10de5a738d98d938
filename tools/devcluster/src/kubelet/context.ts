import type { Clock } from '@interlock/base';
import type { Cluster } from '../api/cluster.js';
import { record } from '../controllers/events.js';
import type { KubeObject } from '../object.js';
import type { ContainerRuntime } from './container-runtime.js';
import { containerPath, type PodContainer } from './pod-model.js';

/** The shared dependencies of the parts of a kubelet. */
export interface KubeletContext {
  cluster: Cluster;
  clock: Clock;
  runtime: ContainerRuntime;
  nodeName: string;
  /** The address of the node. */
  hostIp: string;
}

/** Records an event about a pod or one of its containers. Ignores failures. */
export function podEvent(
  { cluster, nodeName }: KubeletContext,
  pod: KubeObject,
  event: { type: 'Normal' | 'Warning'; reason: string; note: string; container?: PodContainer | undefined },
): void {
  const { container, ...rest } = event;
  const fieldPath = container && containerPath(container);
  const note = { ...rest, regarding: pod, fieldPath, component: 'kubelet', host: nodeName };
  record(cluster, note).catch(() => undefined);
}
