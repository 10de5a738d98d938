import { objectAt, objectsAt, textAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { podConditions, type PodState } from './conditions.js';
import {
  containerStatuses,
  initialized,
  restarted,
  running,
  terminated,
  waiting,
  type Exit,
} from './containers.js';
import type { Ending, Outcome } from './outcome.js';

/** The inputs of a status in addition to the pod. */
export interface Surroundings {
  /** RFC 3339. */
  now: string;
  hostIP: string;
  /** The address for a pod that has none yet. */
  podIP: string;
}

const killed: Exit = { exitCode: 137, reason: 'Error' };
const deadlineMessage = 'Pod was active on the node longer than the specified deadline';

/** Returns the status of a pod whose containers run. */
export function runningStatus(pod: KubeObject, surroundings: Surroundings, isReady: boolean): JsonObject {
  const { now } = surroundings;
  const unready = isReady ? [] : namesOf(pod, 'containers');
  const state = { phase: 'Running', hasSandbox: true, uninitialized: [], unready };
  return statusOf(pod, surroundings, state, {
    ...containerStatuses(pod, 'initContainers', (one, before) => initialized(pod, one, before, now)),
    ...containerStatuses(pod, 'containers', (one, before) =>
      running(pod, one, before, { now, ready: isReady }),
    ),
  });
}

/**
 * Returns the status of a pod that has not started: all containers wait, and those that would start first have the
 * reason of the outcome.
 */
export function heldStatus(
  pod: KubeObject,
  surroundings: Surroundings,
  { reason = 'ContainerCreating', message }: Extract<Outcome, { type: 'hold' }>,
): JsonObject {
  const uninitialized = namesOf(pod, 'initContainers');
  const hasSandbox = reason !== 'ContainerCreating';
  const state = { phase: 'Pending', hasSandbox, uninitialized, unready: namesOf(pod, 'containers') };
  const why = (container: JsonObject): string | undefined =>
    message ??
    (reason === 'ImagePullBackOff' ? `Back-off pulling image "${textAt(container, 'image')}"` : undefined);
  const isBlocked = uninitialized.length > 0;
  return statusOf(pod, surroundings, state, {
    ...containerStatuses(pod, 'initContainers', (one, _before, index) =>
      index === 0 ? waiting(one, reason, why(one)) : waiting(one, 'PodInitializing', undefined),
    ),
    ...containerStatuses(pod, 'containers', (one) =>
      isBlocked ? waiting(one, 'PodInitializing', undefined) : waiting(one, reason, why(one)),
    ),
  });
}

/** Returns the status of a running pod after an outcome that ends its containers. */
export function endedStatus(pod: KubeObject, surroundings: Surroundings, ending: Ending): JsonObject {
  switch (ending.type) {
    case 'succeed':
      return exited(pod, surroundings, { exitCode: 0, reason: 'Completed' });
    case 'fail': {
      const { exitCode = 1, message } = ending;
      return exited(pod, surroundings, { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', message });
    }
    case 'oomKill':
      return exited(pod, surroundings, { exitCode: 137, reason: 'OOMKilled' });
    case 'deadline':
      return failed(pod, surroundings, { reason: 'DeadlineExceeded', message: deadlineMessage });
    case 'evict': {
      const message = ending.message ?? evictionMessage(pod, ending.resource ?? 'memory');
      return failed(pod, surroundings, { reason: 'Evicted', message, disruption: message });
    }
  }
}

/**
 * Returns the status of a running pod that is being deleted, once its containers have ended. They succeed if the
 * restart policy is `Always`.
 */
export function stoppedStatus(pod: KubeObject, surroundings: Surroundings): JsonObject {
  const isServer = textAt(pod, 'spec', 'restartPolicy') === 'Always';
  const exit = isServer ? { exitCode: 0, reason: 'Completed' } : { exitCode: 143, reason: 'Error' };
  return terminatedStatus(pod, surroundings, exit, {});
}

/** Returns the message of an eviction, as the kubelet writes it for the first container of a pod. */
function evictionMessage(pod: KubeObject, resource: string): string {
  const [container = {}] = objectsAt(pod, 'spec', 'containers');
  const { [resource]: request = '0' } = objectAt(container, 'resources', 'requests');
  return [
    `The node was low on resource: ${resource}. `,
    'Threshold quantity: 100Mi, available: 96Mi. ',
    `Container ${textAt(container, 'name')} was using 512Mi, request is ${String(request)}, has larger consumption of ${resource}. `,
  ].join('');
}

function exited(pod: KubeObject, surroundings: Surroundings, exit: Exit): JsonObject {
  const policy = textAt(pod, 'spec', 'restartPolicy');
  const isRestarted = policy === 'Always' || (policy === 'OnFailure' && exit.exitCode !== 0);
  if (!isRestarted) return terminatedStatus(pod, surroundings, exit, {});
  const { now } = surroundings;
  const state = { phase: 'Running', hasSandbox: true, uninitialized: [], unready: [] };
  return statusOf(pod, surroundings, state, {
    ...containerStatuses(pod, 'initContainers', (one, before) => initialized(pod, one, before, now)),
    ...containerStatuses(pod, 'containers', (one, before) => restarted(pod, one, before, exit, now)),
  });
}

function failed(
  pod: KubeObject,
  surroundings: Surroundings,
  { disruption, ...text }: { reason: string; message: string; disruption?: string },
): JsonObject {
  return { ...terminatedStatus(pod, surroundings, killed, { disruption }), ...text, phase: 'Failed' };
}

function terminatedStatus(
  pod: KubeObject,
  surroundings: Surroundings,
  exit: Exit,
  { disruption }: { disruption?: string | undefined },
): JsonObject {
  const { now } = surroundings;
  const phase = exit.exitCode === 0 ? 'Succeeded' : 'Failed';
  const state = {
    phase,
    hasSandbox: false,
    uninitialized: [],
    unready: namesOf(pod, 'containers'),
    disruption,
  };
  return statusOf(pod, surroundings, state, {
    ...containerStatuses(pod, 'initContainers', (one, before) => terminated(pod, one, before, exit, now)),
    ...containerStatuses(pod, 'containers', (one, before) => terminated(pod, one, before, exit, now)),
  });
}

function statusOf(
  pod: KubeObject,
  surroundings: Surroundings,
  state: PodState,
  statuses: JsonObject,
): JsonObject {
  const { now, hostIP } = surroundings;
  const before = objectAt(pod, 'status');
  const podIP =
    state.hasSandbox || state.phase !== 'Pending' ? textAt(before, 'podIP') || surroundings.podIP : '';
  return {
    ...before,
    observedGeneration: pod.metadata.generation ?? 1,
    phase: state.phase,
    conditions: podConditions(pod, state, now),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP !== '' && { podIP, podIPs: [{ ip: podIP }] }),
    startTime: before['startTime'] ?? now,
    ...statuses,
  };
}

function namesOf(pod: KubeObject, field: 'containers' | 'initContainers'): string[] {
  return objectsAt(pod, 'spec', field).map((container) => textAt(container, 'name'));
}
