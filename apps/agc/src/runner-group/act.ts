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
  /** Whether every runner is removed at GitHub. */
  isRetired: boolean;
  /** The number of runners at GitHub that still have a job or could not be removed. */
  pinned: number;
  /** Why a runner could not be removed. */
  problem?: string | undefined;
}

const retireTimeoutMs = 30_000;

/** Applies a decision about a RunnerGroup. @throws TypedError */
export async function actOnGroup(
  context: AgcContext,
  decision: GroupDecision,
  { group }: ObservedGroup,
  { signal, now }: Pick<ActContext<RunnerGroup>, 'signal' | 'now'>,
): Promise<GroupOutcome> {
  const work = context.groups.get(group.metadata.name);
  if (work === undefined) return { reaped: [], isRetired: false, pinned: 0 };
  work.followSpec(group.spec);
  work.setCapacity(decision.capacity);
  const failure = await changePods(context, decision, now, signal);
  if (decision.drain === 'ending') work.endJobs();
  const isRetiring = decision.drain === 'retiring';
  const remaining = isRetiring ? await work.retire(timeLimit(retireTimeoutMs, signal)) : { pinned: 0 };
  const isRetired = decision.drain === 'givenUp' || (isRetiring && remaining.pinned === 0);
  /* The pods of a retired group are removed with it. */
  if (failure !== undefined && !isRetired) throw failure.error;
  return { reaped: decision.reaping.reaped.map(({ reason }) => reason), isRetired, ...remaining };
}

/** Annotates and deletes pods, and returns the first error. A pod that cannot be changed delays neither the others nor the drain. */
async function changePods(
  context: AgcContext,
  { reaping: { completed, reaped } }: GroupDecision,
  now: number,
  signal: AbortSignal,
): Promise<{ error: unknown } | undefined> {
  let failure: { error: unknown } | undefined;
  const attempt = async (change: Promise<unknown>): Promise<void> => {
    try {
      await change;
    } catch (error) {
      /* A pod that is gone, or that another pod of the same name has replaced, needs no change. */
      if (!isTyped(error, 'NotFound', 'Conflict')) failure ??= { error };
    }
  };
  for (const pod of completed) await attempt(annotateCompleted(context, pod, now, signal));
  for (const { pod, reason } of reaped) await attempt(reap(context, pod, reason, signal));
  return failure;
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
  await deleteWorkerPod(client, { name, namespace }, uid, reason, signal);
}
