import { timestampOf, type PullRequest, type PullRequestStatus } from '@interlock/api';
import { markReady, markReconciling, type ConditionReason } from '@interlock/kube';
import type { PullRequestInfo } from '@interlock/scm';
import { pendingMerge, type MergeAnswer, type PendingMerge } from './merge-attempts.js';
import type { Source } from './observed.js';
import { idOf, isWithdrawn } from './state.js';
import { deferredDigest, isDeferred, specDigest } from './text.js';

/** The outcome of an action. */
export interface Outcome {
  info?: PullRequestInfo | undefined;
  /** Whether the title, the body and the labels at the SCM match the spec now. */
  sent?: boolean | undefined;
  /** Whether the title, the body and the labels are sent later; nothing else waits for them. */
  deferred?: boolean | undefined;
  /** Whether the promoter closed it itself, which is not a rejection of the commit. */
  withdrawn?: boolean | undefined;
  /** The refusal or queue of a requested merge. */
  merge?: MergeAnswer | undefined;
  /** Why the pull request is not in the required state. */
  problem?: ConditionReason | undefined;
}

const synced = { reason: 'Synced', message: 'the pull request at the SCM is up to date' };

function described({ reason, message }: ConditionReason): ConditionReason {
  return { reason, message };
}

/** Returns the status after an action. Pure; `now` in milliseconds since the epoch. */
export function pullRequestStatus(
  pullRequest: PullRequest,
  { plugin, url }: Source,
  outcome: Outcome,
  now: number,
): PullRequestStatus {
  const { metadata, status: before } = pullRequest;
  const generation = metadata.generation ?? 0;
  const { info } = outcome;
  const merge = mergeAfter(pullRequest, outcome, now);
  const problem = outcome.problem ?? (merge?.state === 'Refused' ? merge : undefined);
  const digest = digestAfter(pullRequest, plugin, outcome);
  const known = before?.conditions;
  const ready = problem
    ? markReconciling(known, described(problem), generation, now)
    : isDeferred(digest)
      ? known
      : markReady(known, merge ? described(merge) : synced, generation, now);
  const kept = info === undefined ? { ...before } : fromInfo(info, { plugin, url }, now);
  const isOwnDoing = outcome.withdrawn ?? (info !== undefined && isWithdrawn(pullRequest, info));
  /* Closing what is not requested to be open is not a rejection. */
  const isUnwanted = kept.state === 'closed' && pullRequest.spec.state === 'closed';
  if (isOwnDoing || isUnwanted) delete kept.headSHA;
  delete kept.merge;
  delete kept.labels;
  const labels = outcome.sent ? sentLabels(pullRequest) : before?.labels;
  return {
    ...kept,
    observedGeneration: generation,
    ...(ready !== undefined && { conditions: ready }),
    ...(merge !== undefined && { merge }),
    ...(labels !== undefined && { labels }),
    ...(digest !== undefined && { specDigest: digest }),
  };
}

/* The labels of the spec were sent, and labels that are no longer in it were removed. */
function sentLabels({ spec }: PullRequest): string[] | undefined {
  return spec.labels === undefined || spec.labels.length === 0 ? undefined : [...spec.labels];
}

/* It is forgotten when the pull request is no longer open, or when another commit or none is to be merged. That has to be
   done at the SCM first, whose merge queue would otherwise merge it. */
function mergeAfter({ spec, status }: PullRequest, outcome: Outcome, now: number): PendingMerge | undefined {
  const { info, merge, problem } = outcome;
  if (merge !== undefined) return pendingMerge(status?.merge, merge, now);
  const isOpen = (info?.state ?? status?.state) === 'open';
  const isUndone = info === undefined && problem !== undefined;
  return isOpen && (isUndone || status?.merge?.sha === spec.merge?.sha) ? status?.merge : undefined;
}

/* Nothing has been sent to a new pull request yet. */
function digestAfter(
  { spec, status }: PullRequest,
  plugin: string,
  { info, sent, deferred }: Outcome,
): string | undefined {
  if (sent) return specDigest(spec);
  if (deferred) return deferredDigest(spec);
  return info === undefined || info.id === idOf(status, plugin) ? status?.specDigest : undefined;
}

/**
 * Returns the status of an object whose pull request belongs to another repository, or is not the one that the object
 * opened: no pull request in the repository at `url` is known. Pure.
 */
export function forgottenStatus(pullRequest: PullRequest, url: string, now: number): PullRequestStatus {
  const { metadata, status: before } = pullRequest;
  const generation = metadata.generation ?? 0;
  const problem = { reason: 'PullRequestLeft', message: leftNote(pullRequest, url) };
  const conditions = markReconciling(before?.conditions, problem, generation, now);
  return { observedGeneration: generation, conditions, repository: { url } };
}

/** Returns the report about a pull request that is not changed. */
export function leftNote({ spec, status }: PullRequest, url: string): string {
  const what = status?.url ?? `the pull request of ${status?.repository?.url ?? 'another repository'}`;
  return `${what} is not changed: it is not a pull request of ${url} from ${spec.sourceBranch} into ${spec.targetBranch}`;
}

function fromInfo(info: PullRequestInfo, { plugin, url }: Source, now: number): PullRequestStatus {
  return {
    plugin: { [plugin]: { id: info.id } },
    repository: { url, ...(info.repositoryId !== undefined && { id: info.repositoryId }) },
    sourceBranch: info.head,
    state: info.state,
    url: info.url,
    headSHA: info.headSha,
    ...(info.mergeSha !== undefined && { mergeSHA: info.mergeSha }),
    ...(info.mergedBy !== undefined && { mergedBy: info.mergedBy }),
    createdAt: info.createdAt,
    checkedAt: timestampOf(now),
  };
}
