import {
  runnerAnnotations,
  runnerContainer,
  failedInitContainer,
  isFailedByKubelet,
  jobMayHaveStarted,
  parseTimestamp,
  parseWorkerReport,
  recordedGate,
  workerExitCodes,
  type WorkerReport,
} from '@interlock/api';
import { prefixOf } from '@interlock/base';
import type { Pod } from '@interlock/kube';
import { hasEnded } from '../worker-pod/has-ended.js';
import type { DeletionReason, Disruption } from './record.js';
import { waitsFor } from './waits-for.js';

type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];
type ContainerState = NonNullable<ContainerStatus['state']>;
type ContainerEnd = NonNullable<ContainerState['terminated']>;

/** How the container of the runner ended. */
export interface PodEnd {
  /** Milliseconds since the epoch. */
  at: number;
  /** Whether the runner may have read the job, which must then not be started again. */
  mayHaveStarted: boolean;
  /** Whether the status has the state of the container of the runner, from which {@link mayHaveStarted} is derived. */
  hasEvidence: boolean;
  exitCode: number | undefined;
  report: WorkerReport | undefined;
  /** Why the pod was disrupted; undefined when the program ended by itself. */
  disruption: Disruption | undefined;
  /** Whether the pod was ended because it reached its maximum lifetime. */
  isDeadline: boolean;
  message: string;
}

/** The state of a worker pod that the state machine of its job needs. */
export interface PodView {
  name: string;
  uid: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  /** When its deletion was requested; undefined before that. */
  deletionAt: number | undefined;
  /** The grace period that it has if a deletion states none. */
  graceSeconds: number;
  /** The grace period of its deletion; undefined before that. */
  deletionGraceSeconds: number | undefined;
  /** Whether this controller deletes it, according to its annotation or to the record of its job. */
  isDeletedByUs: boolean;
  /** Whether it must be recorded before it may start. */
  isHeld: boolean;
  /** Whether the container of the runner runs, or has run. */
  hasStarted: boolean;
  /**
   * Whether the container of the runner is started again, or will be: a node that has lost the containers of its pods does this
   * whatever their restart policy.
   */
  runsAgain: boolean;
  /** What the pod waits for before its runner starts, for users; undefined if its status does not show it. */
  waitsFor: string | undefined;
  /** Undefined while it may still run. */
  end: PodEnd | undefined;
}

/**
 * How long after the end of its grace period the kubelet may take to report a pod as ended; after that, its node counts
 * as lost.
 */
const reportGraceMs = 60_000;

/** What the API server sets for a pod that states no grace period. */
const defaultGraceSeconds = 30;

/** Reasons for a container of which only its absence was observed: its node failed, for example. containerd reports the first one. */
const lostContainerReasons: ReadonlySet<string | undefined> = new Set(['Unknown', 'ContainerStatusUnknown']);

/**
 * Returns what the decisions about a job need to know about its worker pod. Pure; `now` in milliseconds since the epoch.
 *
 * @param stop why this controller deletes the pod, according to the record of the job: the annotation may have been refused
 */
export function viewPod(pod: Pod, now: number, stop?: DeletionReason): PodView {
  const { metadata, spec } = pod;
  const { deletionGracePeriodSeconds: deletionGraceSeconds } = metadata;
  const graceMs = (deletionGraceSeconds ?? 0) * 1000;
  const deletedBy = parseTimestamp(metadata.deletionTimestamp);
  const deletionAt = deletedBy === undefined ? undefined : deletedBy - graceMs;
  const reason = metadata.annotations?.[runnerAnnotations.deletionReason] ?? stop;
  const isDeletedByUs = reason !== undefined;
  /* The deletion was decided for a pod that had not started, and its runner may have started before it was deleted. */
  const isMistaken = reason === 'pending_deadline' && jobMayHaveStarted(pod);
  const state = runnerState(pod);
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    createdAt: parseTimestamp(metadata.creationTimestamp) ?? now,
    deletionAt,
    graceSeconds: spec?.terminationGracePeriodSeconds ?? defaultGraceSeconds,
    deletionGraceSeconds,
    isDeletedByUs,
    isHeld: isHeld(pod),
    hasStarted: state === undefined ? pod.status?.phase === 'Running' : hasRun(state),
    runsAgain: !hasEnded(pod) && state?.terminated === undefined && runnerEnd(pod) !== undefined,
    waitsFor: waitsFor(pod),
    end: endOf(pod, { deletionAt, deletedBy, isIntended: isDeletedByUs && !isMistaken }, now),
  };
}

/** Returns whether a pod has the gate that is removed when it is recorded. Pure. */
export function isHeld({ spec }: Pod): boolean {
  return spec?.schedulingGates?.some(({ name }) => name === recordedGate) === true;
}

interface Deletion {
  deletionAt: number | undefined;
  deletedBy: number | undefined;
  /** Whether this controller deletes the pod because its job must end. */
  isIntended: boolean;
}

function endOf(pod: Pod, deletion: Deletion, now: number): PodEnd | undefined {
  const { phase, reason } = pod.status ?? {};
  const terminated = runnerEnd(pod);
  const isReported = hasEnded(pod) || terminated !== undefined;
  const isLost = deletion.deletedBy !== undefined && now > deletion.deletedBy + reportGraceMs;
  /* A sidecar may still run; only the runner matters, and it is started once. */
  if (!isReported && !isLost) return undefined;
  const report = parseWorkerReport(terminated?.message);
  /* The status may not list containers; the phase then shows that all of them succeeded. */
  const exitCode = terminated?.exitCode ?? (phase === 'Succeeded' ? 0 : undefined);
  return {
    at: parseTimestamp(terminated?.finishedAt) ?? now,
    mayHaveStarted: jobMayHaveStarted(pod),
    hasEvidence: runnerState(pod) !== undefined,
    exitCode,
    report,
    disruption: disruptionOf(pod, deletion, isReported),
    isDeadline: reason === 'DeadlineExceeded' || hasReachedDeadline(pod, terminated?.finishedAt),
    message: messageOf(pod, exitCode),
  };
}

/** Returns whether a container ended after the lifetime of its pod: the kubelet reports that end before the reason of the pod. */
function hasReachedDeadline({ spec, status }: Pod, finishedAt: string | undefined): boolean {
  const startedAt = parseTimestamp(status?.startTime);
  const endedAt = parseTimestamp(finishedAt);
  const seconds = spec?.activeDeadlineSeconds;
  if (startedAt === undefined || endedAt === undefined || seconds === undefined) return false;
  return endedAt >= startedAt + seconds * 1000;
}

function disruptionOf(
  pod: Pod,
  { deletionAt, isIntended }: Deletion,
  isReported: boolean,
): Disruption | undefined {
  const { reason, conditions = [] } = pod.status ?? {};
  const target = conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  const terminated = runnerEnd(pod);
  if (!isReported) return 'nodeLost';
  /* containerd also gives this reason if a process of the job ran out of memory, and the runner was asked to end later. */
  const isCanceled = terminated?.exitCode === workerExitCodes.canceled;
  if (terminated?.reason === 'OOMKilled' && !isCanceled) return 'outOfMemory';
  if (target?.reason === 'PreemptionByScheduler' || reason === 'Preempting') return 'preemption';
  if (target?.reason === 'DeletionByPodGC' || reason === 'NodeLost' || reason === 'NodeShutdown')
    return 'nodeLost';
  if (reason === 'Evicted' || target !== undefined) return 'eviction';
  /* The kubelet did not admit the pod. After its own restart, it may no longer admit a pod that runs, whose containers it then omits. */
  if (runnerState(pod) === undefined && isFailedByKubelet(pod.status)) return 'eviction';
  if (isIntended) return undefined;
  if (lostContainerReasons.has(terminated?.reason)) return 'nodeLost';
  if (deletionAt === undefined) return undefined;
  const finishedAt = parseTimestamp(terminated?.finishedAt);
  /* A pod that ended before its deletion was requested, within the second of a timestamp, ended by itself. */
  return finishedAt === undefined || deletionAt <= finishedAt + 1000 ? 'deletion' : undefined;
}

function messageOf(pod: Pod, exitCode: number | undefined): string {
  const { reason, message } = pod.status ?? {};
  const code = exitCode === undefined ? '' : ` with exit code ${exitCode}`;
  const why = [reason, message, initFailureOf(pod)]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
  return `the worker pod ${pod.metadata.name} ended${code}${why === '' ? '' : ` (${prefixOf(why, 500)})`}`;
}

/** The status of a pod has no reason for the failure of an init container. */
function initFailureOf(pod: Pod): string | undefined {
  const failed = failedInitContainer(pod);
  if (failed === undefined) return undefined;
  return `init container ${failed.name} ended with exit code ${failed.state?.terminated?.exitCode ?? 'unknown'}`;
}

function runnerStatus({ status }: Pod): ContainerStatus | undefined {
  return status?.containerStatuses?.find(({ name }) => name === runnerContainer);
}

/** Returns the state of the container of the runner; undefined if the status does not list it. */
function runnerState(pod: Pod): ContainerState | undefined {
  const status = runnerStatus(pod);
  return status === undefined ? undefined : (status.state ?? {});
}

/** Returns how the container of the runner ended, also if it was started again; undefined while it has not ended. */
function runnerEnd(pod: Pod): ContainerEnd | undefined {
  const { state, lastState } = runnerStatus(pod) ?? {};
  return state?.terminated ?? lastState?.terminated;
}

function hasRun({ running, terminated }: ContainerState): boolean {
  return running !== undefined || terminated !== undefined;
}
