import { ifFound, isTyped, keyOf, messageOf } from '@interlock/api';
import { timeLimit } from '@interlock/base';
import type { ReconcileContext } from '@interlock/kube';
import type { AgcContext } from '../context.js';
import { groupNameOf } from '../group-objects.js';
import type { FoundJob, ObservedRerun, RerunDecision } from './decide.js';
import type { RerunRecord, RerunResult } from './record.js';

/** The outcome of a decision: the result of a rerun with a message; undefined while the rerun is in progress. */
export type RerunOutcome = { result: RerunResult; message: string } | undefined;

const callTimeoutMs = 30_000;

/**
 * Applies a decision about a rerun. A rerun that was made but not recorded is recognized by the later attempt of its run.
 *
 * @throws TypedError when GitHub or the API server does not answer
 */
export async function actOnRerun(
  { runs, reruns, groups }: Pick<AgcContext, 'runs' | 'reruns' | 'groups'>,
  decision: RerunDecision,
  { config, record, isShared }: ObservedRerun,
  { signal, now }: Pick<ReconcileContext, 'signal' | 'now'>,
): Promise<RerunOutcome> {
  const { repository = '', runId = '', restJobIds, isIncomplete, made } = record;
  const limit = timeLimit(callTimeoutMs, signal);
  const end = async (result: RerunResult, message: string, by: number): Promise<RerunOutcome> => {
    await reruns.update(config, { ...record, result, endedAt: now, made: made + by }, signal);
    return { result, message };
  };
  /* After the run was read, another replica may have run it again, and that attempt may have ended. */
  if (groups.get(groupNameOf(config)) === undefined) return undefined;
  switch (decision.type) {
    case 'wait':
      return undefined;
    case 'remove':
      await reruns.remove(keyOf(config), signal);
      return undefined;
    case 'identify':
      await reruns.update(config, { ...record, ...runOf(decision.found) }, signal);
      return undefined;
    case 'recordAttempt':
      await reruns.update(config, { ...record, runAttempt: decision.attempt }, signal);
      return undefined;
    case 'cancel':
      await runs.forceCancel(repository, runId, limit);
      await reruns.update(config, { ...record, isCancelled: true }, signal);
      return undefined;
    case 'end':
      return end(decision.result, decision.message, decision.result === 'superseded' ? 1 : 0);
    case 'rerun': {
      const [only, ...more] = restJobIds;
      try {
        const isAlone = only !== undefined && more.length === 0 && isIncomplete !== true && !isShared;
        const isMade = isAlone && (await ifFound(runs.rerunJob(repository, only, limit).then(() => true)));
        if (isMade !== true) await runs.rerunFailedJobs(repository, runId, limit);
      } catch (error) {
        if (mayPass(error)) return undefined;
        if (!isTyped(error, 'Unauthorized', 'Invalid', 'NotFound', 'Permanent')) throw error;
        return end('refused', messageOf(error), 0);
      }
      return end('made', 'GitHub accepted the request to run it again', 1);
    }
  }
}

/**
 * Returns whether a refused rerun is requested again: GitHub has not concluded the run yet, although it showed so; or it refuses the
 * credential, not the rerun.
 */
function mayPass(error: unknown): boolean {
  return isTyped(error, 'Conflict') || (isTyped(error, 'Unauthorized') && error.reason !== 'AccessDenied');
}

function runOf({ repository, runId, runAttempt, restJobId }: FoundJob): Partial<RerunRecord> {
  return { repository, runId, runAttempt, restJobIds: [restJobId] };
}
