import { parseTimestamp, runnerAnnotations } from '@interlock/api';
import type { Pod } from '@interlock/kube';
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
  /** Since when it cannot be scheduled, and the scheduler's reason. */
  unschedulable: { since: number; message: string } | undefined;
}

/** Returns what the reaper of a group needs to know about a worker pod. Pure; `now` in milliseconds since the epoch. */
export function groupPod(pod: Pod, hasJob: boolean, now: number): GroupPod {
  const { metadata, status = {} } = pod;
  const isOver = hasEnded(pod);
  const unscheduled = status.conditions?.find(
    ({ type, status: is, reason }) => type === 'PodScheduled' && is === 'False' && reason === 'Unschedulable',
  );
  const createdAt = parseTimestamp(metadata.creationTimestamp) ?? now;
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    state: isOver ? 'ended' : status.phase === 'Running' ? 'running' : 'pending',
    hasJob,
    endedAt: isOver ? endOf(pod, createdAt) : undefined,
    jobCompletedAt: parseTimestamp(metadata.annotations?.[runnerAnnotations.jobCompletedAt]),
    isDeleting: metadata.deletionTimestamp !== undefined,
    unschedulable: unscheduled && {
      since: parseTimestamp(unscheduled.lastTransitionTime) ?? createdAt,
      message: (unscheduled.message ?? '').slice(0, 500),
    },
  };
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
