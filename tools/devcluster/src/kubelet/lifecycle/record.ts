import { objectAt, objectsAt, textAt, valueAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import type { RestartBackoff } from './backoff.js';

/** The end of a run. Times are in milliseconds since the epoch. */
export interface Termination {
  exitCode: number;
  signal?: number | undefined;
  reason: string;
  message?: string | undefined;
  startedAt?: number | undefined;
  finishedAt: number;
  containerId?: string | undefined;
}

/** The reason why a container does not run. */
export interface Waiting {
  reason: string;
  message?: string | undefined;
}

/** The state of a container in a kubelet. */
export interface ContainerRecord {
  state: 'new' | 'starting' | 'running' | 'ended';
  restartCount: number;
  /** The reason why the container does not run; undefined while the container is only being created. */
  waiting?: Waiting | undefined;
  /** Earliest time of the next start. */
  retryAt?: number | undefined;
  /** Time of the last failed pull of the image, and the delay until the next pull. */
  pullFailedAt?: number | undefined;
  pullDelayMs?: number | undefined;
  startedAt?: number | undefined;
  containerId?: string | undefined;
  imageId?: string | undefined;
  /** Whether the startup probe and the postStart hook have succeeded. */
  isStarted: boolean;
  /** Whether the readiness probe succeeds. */
  isReady: boolean;
  /** Whether the kubelet has requested the end of the container. */
  isStopping: boolean;
  /** The end of the latest run, until the next one runs. */
  termination?: Termination | undefined;
  /** The end of the previous run. */
  previous?: Termination | undefined;
  backoff?: RestartBackoff | undefined;
}

/** Returns the record of a container that has not run yet. */
export function newRecord(): ContainerRecord {
  return { state: 'new', restartCount: 0, isStarted: false, isReady: false, isStopping: false };
}

/** Returns whether the container runs or is being started. */
export function isAlive({ state }: ContainerRecord): boolean {
  return state === 'starting' || state === 'running';
}

/** The exit code of a run whose end was not observed. */
const unknownExitCode = 255;

/**
 * Returns the record of a container from the status of its pod, for a starting kubelet: containers that were running
 * have ended, as after a restart of the node.
 */
export function restoredRecord(pod: KubeObject, name: string, now: number): ContainerRecord {
  const statuses = ['initContainerStatuses', 'containerStatuses'].flatMap((list) =>
    objectsAt(pod, 'status', list),
  );
  const status = statuses.find((one) => one['name'] === name);
  if (status === undefined) return newRecord();
  const count = valueAt(status, 'restartCount');
  const record = { ...newRecord(), restartCount: typeof count === 'number' ? count : 0 };
  const previous = terminationOf(objectAt(status, 'lastState', 'terminated'));
  const ended = terminationOf(objectAt(status, 'state', 'terminated')) ?? lostRun(status, now);
  if (ended !== undefined) return { ...record, state: 'ended', termination: ended, previous };
  return previous === undefined ? record : { ...record, state: 'ended', termination: previous };
}

function lostRun(status: JsonObject, now: number): Termination | undefined {
  const startedAt = textAt(status, 'state', 'running', 'startedAt');
  if (startedAt === '') return undefined;
  return {
    exitCode: unknownExitCode,
    reason: 'Unknown',
    startedAt: Date.parse(startedAt),
    finishedAt: now,
    containerId: textAt(status, 'containerID'),
  };
}

function terminationOf(terminated: JsonObject): Termination | undefined {
  const { exitCode } = terminated;
  if (typeof exitCode !== 'number') return undefined;
  const { signal } = terminated;
  return {
    exitCode,
    signal: typeof signal === 'number' ? signal : undefined,
    reason: textAt(terminated, 'reason'),
    message: textAt(terminated, 'message') || undefined,
    startedAt: Date.parse(textAt(terminated, 'startedAt')) || undefined,
    finishedAt: Date.parse(textAt(terminated, 'finishedAt')) || 0,
    containerId: textAt(terminated, 'containerID') || undefined,
  };
}
