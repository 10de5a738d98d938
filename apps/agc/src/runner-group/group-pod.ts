import { parseTimestamp, recordedGate, runnerAnnotations } from '@interlock/api';
import type { Pod } from '@interlock/kube';
import { hasStartProblem, waitsFor } from '../job/waits-for.js';
import { hasEnded } from '../worker-pod/has-ended.js';

/** What the reaper of a group needs to know about a worker pod; times in milliseconds since the epoch. */
export interface GroupPod {
  name: string;
  uid: string;
  state: 'pending' | 'running' | 'ended';
  /** Whether this is the pod of a recorded job. */
  hasJob: boolean;
  /** When it ended; undefined before that. */
  endedAt: number | undefined;
  /** When its job was found to have ended while the pod had not. */
  jobCompletedAt: number | undefined;
  isDeleting: boolean;
  /** Since when it cannot be scheduled, and the reason of the scheduler, or the gates of other controllers. */
  unschedulable: { since: number; message: string } | undefined;
  /** Since when its containers have not started although it has a node, and what they wait for. */
  unstarted: { since: number; message: string } | undefined;
}

/** Returns what the reaper of a group needs to know about a worker pod. Pure; `now` in milliseconds since the epoch. */
export function groupPod(pod: Pod, hasJob: boolean, now: number): GroupPod {
  const { metadata, status = {} } = pod;
  const isOver = hasEnded(pod);
  const createdAt = parseTimestamp(metadata.creationTimestamp) ?? now;
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    state: isOver ? 'ended' : status.phase === 'Running' ? 'running' : 'pending',
    hasJob,
    endedAt: isOver ? endOf(pod, createdAt) : undefined,
    jobCompletedAt: parseTimestamp(metadata.annotations?.[runnerAnnotations.jobCompletedAt]),
    isDeleting: metadata.deletionTimestamp !== undefined,
    unschedulable: unschedulableOf(pod, createdAt),
    unstarted: unstartedOf(pod, createdAt),
  };
}

/** An init container that runs may take long, and is not a problem; but it may also run as long as the pod, beside one with a problem. */
function unstartedOf({ status = {} }: Pod, createdAt: number): GroupPod['unstarted'] {
  const { phase, conditions = [], initContainerStatuses = [] } = status;
  const scheduled = conditions.find(({ type, status: is }) => type === 'PodScheduled' && is === 'True');
  const message = waitsFor({ status });
  if (phase !== 'Pending' || scheduled === undefined || message === undefined) return undefined;
  if (hasStartProblem({ status })) return { since: createdAt, message };
  const isInitializing = initContainerStatuses.some(({ state }) => state?.running !== undefined);
  /* A pod may have waited long for a new node, on which its containers then start as usual. */
  return isInitializing
    ? undefined
    : { since: parseTimestamp(scheduled.lastTransitionTime) ?? createdAt, message };
}

function unschedulableOf({ spec, status = {} }: Pod, createdAt: number): GroupPod['unschedulable'] {
  const condition = status.conditions?.find(
    ({ type, status: is }) => type === 'PodScheduled' && is === 'False',
  );
  if (condition === undefined) return undefined;
  const { reason, message = '', lastTransitionTime } = condition;
  const since = parseTimestamp(lastTransitionTime) ?? createdAt;
  if (reason === 'Unschedulable') return { since, message: message.slice(0, 500) };
  /* The gate of this controller is removed when the pod is recorded. The condition does not name the others. */
  const gates = (spec?.schedulingGates ?? []).map(({ name }) => name).filter((name) => name !== recordedGate);
  if (reason !== 'SchedulingGated' || gates.length === 0) return undefined;
  const names = gates.join(', ').slice(0, 500);
  return { since, message: `other controllers have not removed its scheduling gate ${names}` };
}

/** Returns when a pod ended; for a pod that never ran, such as one that its node refused, when its conditions last changed. */
function endOf({ status = {} }: Pod, createdAt: number): number {
  const ends = (status.containerStatuses ?? []).map(
    ({ state }) => parseTimestamp(state?.terminated?.finishedAt) ?? 0,
  );
  const changes = (status.conditions ?? []).map(
    ({ lastTransitionTime }) => parseTimestamp(lastTransitionTime) ?? 0,
  );
  return Math.max(createdAt, ...ends, ...(ends.some((end) => end > 0) ? [] : changes));
}
