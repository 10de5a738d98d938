import { timestampOf, type PullRequest, type PullRequestStatus } from '@interlock/api';
import { markReady, markReconciling } from '@interlock/kube';
import type { PullRequestInfo } from '@interlock/scm';
import { deferredDigest, idOf, isDeferred, specDigest } from './decide.js';

/** What an action found out or brought about. */
export interface Outcome {
  info?: PullRequestInfo;
  /** Title, body and labels at the SCM are those of the spec now. */
  sent?: boolean;
  /** Title, body and labels are sent later; nothing else waits for them. */
  deferred?: boolean;
  /** The promoter closed it itself, which is no rejection of the commit. */
  withdrawn?: boolean;
  /** Why the pull request is not as wanted. */
  problem?: { reason: string; message: string };
}

/** @returns the status after an action. Pure; `now` in milliseconds since the epoch. */
export function pullRequestStatus(
  pullRequest: PullRequest,
  plugin: string,
  outcome: Outcome,
  now: number,
): PullRequestStatus {
  const { metadata, status: before } = pullRequest;
  const generation = metadata.generation ?? 0;
  const { info, problem } = outcome;
  const digest = digestAfter(pullRequest, plugin, outcome);
  const ready =
    problem === undefined && isDeferred(digest)
      ? (before?.conditions ?? [])
      : problem
        ? markReconciling(before?.conditions, problem, generation, now)
        : markReady(
            before?.conditions,
            { reason: 'Synced', message: 'as wanted at the SCM' },
            generation,
            now,
          );
  const kept = info === undefined ? { ...before } : fromInfo(info, plugin, now);
  if (outcome.withdrawn) delete kept.headSHA;
  return {
    ...kept,
    observedGeneration: generation,
    conditions: ready,
    ...(digest !== undefined && { specDigest: digest }),
  };
}

/* Another pull request than before has not been sent anything yet. */
function digestAfter(
  { spec, status }: PullRequest,
  plugin: string,
  { info, sent, deferred }: Outcome,
): string | undefined {
  if (sent) return specDigest(spec);
  if (deferred) return deferredDigest(spec);
  return info === undefined || info.id === idOf(status, plugin) ? status?.specDigest : undefined;
}

function fromInfo(info: PullRequestInfo, plugin: string, now: number): PullRequestStatus {
  return {
    plugin: { [plugin]: { id: info.id } },
    state: info.state,
    url: info.url,
    headSHA: info.headSha,
    ...(info.mergeSha !== undefined && { mergeSHA: info.mergeSha }),
    ...(info.mergedBy !== undefined && { mergedBy: info.mergedBy }),
    createdAt: info.createdAt,
    checkedAt: timestampOf(now),
  };
}
