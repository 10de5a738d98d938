import { createHash } from 'node:crypto';
import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';

/** The end of a container. */
export interface Exit {
  exitCode: number;
  reason: string;
  message?: string | undefined;
}

/** The containers of a pod by the field of the spec, with the field of their statuses. */
type ContainerField = 'containers' | 'initContainers';

const statusFields = { containers: 'containerStatuses', initContainers: 'initContainerStatuses' } as const;

/** Returns the container fields of a status, derived from the previous status. */
export function containerStatuses(
  pod: KubeObject,
  field: ContainerField,
  make: (container: JsonObject, before: JsonObject, index: number) => JsonObject,
): JsonObject {
  const containers = objectsAt(pod, 'spec', field);
  if (containers.length === 0) return {};
  const before = objectsAt(pod, 'status', statusFields[field]);
  const made = containers.map((container, index) =>
    make(container, before.find(({ name }) => name === container['name']) ?? {}, index),
  );
  return { [statusFields[field]]: made };
}

/** Returns the status of a waiting container with a reason. */
export function waiting(container: JsonObject, reason: string, message: string | undefined): JsonObject {
  return {
    name: textAt(container, 'name'),
    state: { waiting: { reason, ...(message !== undefined && { message }) } },
    lastState: {},
    ready: false,
    restartCount: 0,
    image: textAt(container, 'image'),
    imageID: '',
    started: false,
  };
}

/** Returns the status of a container that runs. Its start time is the start time in the previous status, or now. */
export function running(
  pod: KubeObject,
  container: JsonObject,
  before: JsonObject,
  { now, ready }: { now: string; ready: boolean },
): JsonObject {
  const startedAt = textAt(before, 'state', 'running', 'startedAt') || now;
  return describe(pod, container, before, { state: { running: { startedAt } }, ready, started: true });
}

/** Returns the status of a container that has ended; the status of a container that ended before does not change. */
export function terminated(
  pod: KubeObject,
  container: JsonObject,
  before: JsonObject,
  exit: Exit,
  now: string,
): JsonObject {
  if (valueAt(before, 'state', 'terminated') !== undefined) return before;
  const state = { terminated: terminatedState(pod, container, before, exit, now) };
  return describe(pod, container, before, { state, ready: false, started: false });
}

/** Returns the status of a container that has ended and runs again. */
export function restarted(
  pod: KubeObject,
  container: JsonObject,
  before: JsonObject,
  exit: Exit,
  now: string,
): JsonObject {
  const ended = { terminated: terminatedState(pod, container, before, exit, now) };
  const again = { ...before, restartCount: restartsOf(before) + 1, lastState: ended };
  return describe(pod, container, again, {
    state: { running: { startedAt: now } },
    ready: true,
    started: true,
  });
}

/** Returns the status of an init container that is done: a sidecar runs, any other has completed. */
export function initialized(
  pod: KubeObject,
  container: JsonObject,
  before: JsonObject,
  now: string,
): JsonObject {
  if (isSidecar(container)) return running(pod, container, before, { now, ready: true });
  const done = terminated(pod, container, before, { exitCode: 0, reason: 'Completed' }, now);
  return { ...done, ready: true };
}

/** Returns whether an init container is a sidecar. */
function isSidecar(container: JsonObject): boolean {
  return textAt(container, 'restartPolicy') === 'Always';
}

function terminatedState(
  pod: KubeObject,
  container: JsonObject,
  before: JsonObject,
  { exitCode, reason, message }: Exit,
  now: string,
): JsonObject {
  return {
    exitCode,
    reason,
    ...(message !== undefined && { message }),
    startedAt: textAt(before, 'state', 'running', 'startedAt') || now,
    finishedAt: now,
    containerID: containerId(pod, container, restartsOf(before)),
  };
}

function describe(
  pod: KubeObject,
  container: JsonObject,
  before: JsonObject,
  { state, ready, started }: { state: JsonObject; ready: boolean; started: boolean },
): JsonObject {
  const image = textAt(container, 'image');
  const restartCount = restartsOf(before);
  const mounts = objectsAt(container, 'volumeMounts').map(mountStatus);
  const resources = objectAt(container, 'resources');
  const requests = objectAt(resources, 'requests');
  return {
    name: textAt(container, 'name'),
    state,
    lastState: objectAt(before, 'lastState'),
    ready,
    restartCount,
    image,
    imageID: `${image.replace(/@.*$|:[^:/]+$/, '')}@sha256:${digest(image)}`,
    containerID: containerId(pod, container, restartCount),
    started,
    ...(Object.keys(requests).length > 0 && { allocatedResources: requests }),
    resources,
    ...(mounts.length > 0 && { volumeMounts: mounts }),
  };
}

function mountStatus(mount: JsonObject): JsonObject {
  const { name, mountPath, readOnly } = mount;
  return {
    name: name ?? '',
    mountPath: mountPath ?? '',
    ...(readOnly === true && { readOnly, recursiveReadOnly: 'Disabled' }),
  };
}

function restartsOf(status: JsonObject): number {
  const count = status['restartCount'];
  return typeof count === 'number' ? count : 0;
}

function containerId(pod: KubeObject, container: JsonObject, restart: number): string {
  const parts = [pod.metadata.uid ?? '', textAt(container, 'name'), String(restart)];
  return `simulated://${digest(parts.join('/'))}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
