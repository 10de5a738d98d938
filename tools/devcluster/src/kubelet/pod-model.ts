import { objectsAt, textAt, valueAt, type KubeObject } from '../object.js';
import type { JsonObject } from '../schema/types.js';

/** `sidecar`: an init container that keeps running (`restartPolicy: Always`). */
type ContainerRole = 'init' | 'sidecar' | 'app';

export interface PodContainer {
  name: string;
  role: ContainerRole;
  spec: JsonObject;
}

/** Returns the containers of a pod in the order in which they start. */
export function containersOf(pod: KubeObject): PodContainer[] {
  const init = objectsAt(pod, 'spec', 'initContainers').map((spec): PodContainer => {
    const role = textAt(spec, 'restartPolicy') === 'Always' ? 'sidecar' : 'init';
    return { name: textAt(spec, 'name'), role, spec };
  });
  const apps = objectsAt(pod, 'spec', 'containers').map((spec): PodContainer => ({
    name: textAt(spec, 'name'),
    role: 'app',
    spec,
  }));
  return [...init, ...apps];
}

/** Returns whether the pod has ended permanently, by its status. */
export function hasEnded(pod: KubeObject): boolean {
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
}

/** Returns whether the deletion of the pod was requested. */
export function isDeleted(pod: KubeObject): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

const defaultGraceSeconds = 30;

/** Returns the seconds that the containers of a pod have to end. */
export function graceSecondsOf(pod: KubeObject): number {
  const own = valueAt(pod, 'spec', 'terminationGracePeriodSeconds');
  const seconds =
    pod.metadata.deletionGracePeriodSeconds ?? (typeof own === 'number' ? own : defaultGraceSeconds);
  return Math.max(1, seconds);
}

/** Returns the reference to a container of a pod in events. */
export function containerPath({ name, role }: PodContainer): string {
  return role === 'app' ? `spec.containers{${name}}` : `spec.initContainers{${name}}`;
}
