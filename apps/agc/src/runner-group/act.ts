import { isTyped, runnerAnnotations, timestampOf } from '@interlock/api';
import { timeLimit } from '@interlock/base';
import { Pod, type ActContext } from '@interlock/kube';
import type { RunnerGroup } from '@interlock/api';
import type { AgcContext } from '../context.js';
import { deleteWorkerPod } from '../worker-pod/delete-pod.js';
import type { GroupPod } from './group-pod.js';
import type { GroupDecision } from './decide.js';
import type { ObservedGroup } from './observed.js';
import type { ReapReason } from './reap.js';

export interface GroupOutcome {
  /** Why pods were deleted, one reason for each pod. */
  reaped: readonly ReapReason[];
  /** Whether further pods are to be changed, by the next reconcile. */
  arePodsLeft: boolean;
  /** Whether every runner is removed at GitHub. */
  isRetired: boolean;
  /** The number of runners at GitHub that still have a job or could not be removed. */
  pinned: number;
  /** Why a runner could not be removed. */
  problem?: string | undefined;
}

const retireTimeoutMs = 30_000;
/** How many pods a reconcile changes: thousands may be due at once, and the capacity of this and of other groups must not wait for them. */
const podsAtOnce = 100;

/** Applies a decision about a RunnerGroup. @throws TypedError */
export async function actOnGroup(
  context: AgcContext,
  decision: GroupDecision,
  { group }: ObservedGroup,
  { signal, now }: Pick<ActContext<RunnerGroup>, 'signal' | 'now'>,
): Promise<GroupOutcome> {
  const work = context.groups.get(group.metadata.name);
  if (work === undefined) return { reaped: [], arePodsLeft: false, isRetired: false, pinned: 0 };
  work.followSpec(group.spec);
  work.setCapacity(decision.capacity);
  const { failure, ...changes } = await changePods(context, decision, now, signal);
  if (decision.drain === 'ending') work.endJobs();
  const isRetiring = decision.drain === 'retiring';
  const remaining = isRetiring ? await work.retire(timeLimit(retireTimeoutMs, signal)) : { pinned: 0 };
  const isRetired = decision.drain === 'givenUp' || (isRetiring && remaining.pinned === 0);
  /* The pods of a retired group are removed with it, and those that are left do not wait for the retry of a failure. */
  if (failure !== undefined && !isRetired && !changes.arePodsLeft) throw failure.error;
  return { ...changes, isRetired, ...remaining };
}

interface PodChanges extends Pick<GroupOutcome, 'reaped' | 'arePodsLeft'> {
  /** The first error. */
  failure: { error: unknown } | undefined;
}

/** Annotates and deletes pods. A pod that cannot be changed delays neither the others nor the drain. */
async function changePods(
  context: AgcContext,
  { reaping: { completed, reaped } }: GroupDecision,
  now: number,
  signal: AbortSignal,
): Promise<PodChanges> {
  let changed = 0;
  let arePodsLeft = false;
  let failure: PodChanges['failure'];
  const attempt = async (change: () => Promise<unknown>): Promise<boolean> => {
    arePodsLeft = changed === podsAtOnce;
    if (arePodsLeft) return false;
    try {
      await change();
      changed += 1;
      return true;
    } catch (error) {
      /* A pod that is gone, or that another pod of the same name has replaced, needs no change. */
      if (!isTyped(error, 'NotFound', 'Conflict')) failure ??= { error };
      return false;
    }
  };
  for (const pod of completed) await attempt(() => annotateCompleted(context, pod, now, signal));
  const reasons: ReapReason[] = [];
  for (const { pod, reason } of reaped)
    if (await attempt(() => reap(context, pod, reason, signal))) reasons.push(reason);
  return { reaped: reasons, arePodsLeft, failure };
}

/**
 * Records that the job of a pod has ended. A pod that an admission policy does not let change is deleted instead: without the
 * record it would keep its place until its maximum lifetime.
 */
async function annotateCompleted(
  context: AgcContext,
  pod: GroupPod,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const { manager, namespace } = context;
  const { name, uid, state } = pod;
  const metadata = { uid, annotations: { [runnerAnnotations.jobCompletedAt]: timestampOf(now) } };
  try {
    await manager.client.patch(Pod, { name, namespace }, { type: 'merge', patch: { metadata } }, { signal });
  } catch (error) {
    if (!isTyped(error, 'Unauthorized', 'Invalid')) throw error;
    await reap(context, pod, state === 'pending' ? 'completed_pending' : 'orphaned_running', signal);
  }
}

async function reap(
  { manager: { client }, namespace }: AgcContext,
  { name, uid }: GroupPod,
  reason: ReapReason,
  signal: AbortSignal,
): Promise<void> {
  await deleteWorkerPod(client, { name, namespace }, { uid, reason }, signal);
}
