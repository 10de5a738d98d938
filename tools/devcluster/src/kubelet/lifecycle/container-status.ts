import { textAt, formatSeconds } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import type { PodContainer } from '../pod-model.js';
import type { ContainerRecord, Termination, Waiting } from './record.js';

/** Returns a time in milliseconds in the format of `metav1.Time`. */
export function timeText(ms: number): string {
  return formatSeconds(new Date(ms));
}

/**
 * Returns the v1 ContainerStatus of a container. @param initial the reason why it waits while no other reason is known.
 */
export function containerStatus(
  container: PodContainer,
  record: ContainerRecord,
  initial: Waiting,
): JsonObject {
  const { state, termination, previous, waiting, containerId, imageId } = record;
  const isRunning = state === 'running';
  const isWaiting = !isRunning && (waiting !== undefined || termination === undefined);
  const last = isWaiting ? termination : previous;
  return {
    name: container.name,
    state: stateOf(record, initial),
    lastState: last === undefined ? {} : { terminated: terminated(last) },
    ready: isReady(container, record),
    restartCount: record.restartCount,
    image: textAt(container.spec, 'image'),
    imageID: imageId ?? '',
    ...(containerId !== undefined && { containerID: containerId }),
    started: isRunning && record.isStarted,
  };
}

/** Returns the v1 ContainerStatus of a container that has not run when its pod ends. */
export function notFound(container: PodContainer, record: ContainerRecord, initial: Waiting): JsonObject {
  const terminated = {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
    startedAt: null,
    finishedAt: null,
  };
  return { ...containerStatus(container, record, initial), state: { terminated } };
}

function stateOf(record: ContainerRecord, initial: Waiting): JsonObject {
  const { state, waiting, termination, startedAt = 0 } = record;
  if (state === 'running') return { running: { startedAt: timeText(startedAt) } };
  if (waiting === undefined && termination !== undefined) return { terminated: terminated(termination) };
  const { reason, message } = waiting ?? initial;
  return { waiting: { reason, ...(message !== undefined && { message }) } };
}

function terminated(termination: Termination): JsonObject {
  const { exitCode, signal, reason, message, startedAt, finishedAt, containerId } = termination;
  return {
    exitCode,
    ...(signal !== undefined && { signal }),
    reason,
    ...(message !== undefined && { message }),
    startedAt: timeText(startedAt ?? finishedAt),
    finishedAt: timeText(finishedAt),
    ...(containerId !== undefined && { containerID: containerId }),
  };
}

/** Returns whether an init container has succeeded, or another container runs and its probe succeeds. */
function isReady(
  { role }: PodContainer,
  { state, isReady: ready, isStarted, termination }: ContainerRecord,
): boolean {
  if (role === 'init') return state === 'ended' && termination?.exitCode === 0;
  return state === 'running' && isStarted && ready;
}
