import { shortSHA, type RevertCommit, type RevertCommitStatus } from '@interlock/api';
import { isProblem, type Problem } from '@interlock/base';
import type { ApplyConfiguration, ConditionReason } from '@interlock/kube';
import { openingReason, unmergedReason } from '../proposed-commit/refused.js';
import { blocking } from '../promotion/checks.js';
import { describeWithChecks } from '../promotion/checks-table.js';
import { mergeMessage } from '../promotion/merge-message.js';
import type { CheckLine, HydratedCommit } from '../promotion/model.js';
import { pullRequestOf, withoutMerge } from '../promotion/pull-request.js';
import { revertChecks } from './checks.js';
import { revertPromotionStatus, revertPullRequestKey } from './children.js';
import { endOf, isExpired, type End } from './end.js';
import type { ObservedRevert, RevertFacts, RevertTarget } from './observed.js';
import { notReadyStatus, progressStatus, stalledStatus, subjectStatus, type Progress } from './status.js';
import { revertMessage, revertText, revertTrailers } from './text.js';

/** A commit to make on top of the active one, and to push. */
export interface RevertBuild {
  branch: string;
  parent: string;
  /** Tree of the active path, if there is one; other paths are unchanged. */
  treeSHA: string;
  activePath?: string | undefined;
  message: string;
  /** RFC 3339; the same each time, so that the commit is the same. */
  date: string;
}

export interface RevertDecision {
  status: RevertCommitStatus;
  /** The pull request to apply; absent to leave the existing one unchanged. */
  pullRequest?: ApplyConfiguration | undefined;
  /** Applied with the proposed pull request. */
  commitStatus?: ApplyConfiguration;
  /** Pushed before the pull request. */
  build?: RevertBuild;
  /** Milliseconds until the next decision. */
  requeueAfterMs?: number;
}

/** A RevertCommit whose target is known, with the state of its branch. */
interface Known {
  observed: ObservedRevert;
  facts: RevertFacts;
  active: HydratedCommit;
  target: RevertTarget;
  branch: string;
  now: number;
}

/**
 * Returns whether the subject of a revert is being recorded: it depends on what the environment runs now, not at the last
 * refresh. Pure.
 */
export function recordsSubject({ revertCommit: { status }, facts }: ObservedRevert): boolean {
  const isOver = status?.state === 'Expired' || status?.state === 'Superseded';
  return !isProblem(facts) && status?.target === undefined && !isOver;
}

/** Returns what is to be done for a RevertCommit. Pure; `now` in milliseconds since the epoch. */
export function decideRevert(observed: ObservedRevert, now: number): RevertDecision {
  const { revertCommit, facts } = observed;
  const { spec, status } = revertCommit;
  if (isProblem(facts)) return { status: notReadyStatus(revertCommit, facts, now) };
  const { active } = facts;
  if (active === undefined) {
    const message = `spec.activeBranch: branch ${spec.activeBranch} does not exist; name an environment branch`;
    return { status: notReadyStatus(revertCommit, { reason: 'BranchNotFound', message }, now) };
  }
  if (status?.target === undefined || status.branch === undefined) return begin(observed, facts, now);
  const known = { observed, facts, active, target: status.target, branch: status.branch, now };
  const end = endOf(observed, facts, now);
  if (end === undefined && observed.taken !== undefined) return blocked(revertCommit, observed.taken, now);
  return wakeAtExpiry(end === undefined ? goOn(known) : finish(known, end), spec.expiresAt, now);
}

/** Records the subject before anything is made, so that it is the same after a crash. */
function begin(
  { revertCommit }: ObservedRevert,
  { subject, rejected, activeIs }: RevertFacts,
  now: number,
): RevertDecision {
  const over = (state: Progress['state'], message: string): RevertDecision => {
    const progress: Progress = { state, inForce: false, because: { reason: state, message }, lines: [] };
    return { status: progressStatus(revertCommit, progress, undefined, now) };
  };
  if (isExpired(revertCommit, now)) return over('Expired', 'spec.expiresAt passed before a target was found');
  if (activeIs === 'newer' || revertCommit.status?.state === 'Superseded') {
    return over('Superseded', 'a newer dry commit became active before a target was found');
  }
  if (subject === undefined) throw new Error('the target has not been read');
  return isProblem(subject)
    ? { status: stalledStatus(revertCommit, subject, rejected, now) }
    : { status: subjectStatus(revertCommit, subject, now), requeueAfterMs: 0 };
}

/** Proposes nothing. The environment stays held, and the revert can still end. */
function blocked(revertCommit: RevertCommit, problem: Problem, now: number): RevertDecision {
  return {
    status: stalledStatus(revertCommit, problem, undefined, now),
    requeueAfterMs: problem.retryAfterMs ?? 0,
  };
}

/** Ends the revert: nothing is proposed any longer. */
function finish({ observed, facts, now }: Known, { state, because }: End): RevertDecision {
  const { revertCommit } = observed;
  const { inForce: before, revertSHA, checks = [] } = revertCommit.status ?? {};
  const holds = state === 'Merged' && facts.activeIs !== 'newer' && !isExpired(revertCommit, now);
  const progress: Progress = {
    state,
    because,
    /* Once it has ended, a hold does not come back. */
    inForce: holds && before !== false,
    lines: state === 'Merged' ? checks : [],
    revertSHA: revertSHA ?? facts.revertSHA,
  };
  return { status: status(observed, progress, now), pullRequest: withdrawn(observed) };
}

function goOn(known: Known): RevertDecision {
  const { observed, facts, active, target, branch, now } = known;
  const { revertCommit, pullRequest } = observed;
  const { activePath } = revertCommit.spec;
  const progress = (because: ConditionReason, lines: readonly CheckLine[] = []): Progress => ({
    state: pullRequest?.status?.state === 'open' ? 'Open' : 'Pending',
    inForce: true,
    because,
    lines,
    revertSHA: facts.revertSHA,
  });
  if (facts.activeIs === 'other') {
    const message = `${revertCommit.spec.activeBranch} no longer runs ${shortSHA(revertCommit.status?.rejectedDrySHA)}; delete the RevertCommit if it is no longer needed`;
    return {
      status: status(observed, progress({ reason: 'NotActive', message }), now),
      pullRequest: withdrawn(observed),
    };
  }
  if (facts.revertSHA === undefined) {
    const because = {
      reason: 'Committing',
      message: `committing the content of ${shortSHA(target.hydratedSHA)}`,
    };
    return {
      status: status(observed, progress(because), now),
      build: {
        branch,
        parent: facts.tipSHA ?? active.hydratedSHA,
        treeSHA: target.treeSHA,
        activePath,
        message: revertMessage(revertCommit, active, target),
        date: revertCommit.metadata.creationTimestamp ?? '',
      },
    };
  }
  const lines = revertChecks(revertCommit.spec, observed.gates);
  const waiting = waitingFor(observed, lines);
  const unmerged = waiting === undefined ? unmergedReason(pullRequest, facts.revertSHA) : undefined;
  const merging = unmerged ?? {
    reason: 'Merging',
    message: `merging ${pullRequest?.status?.url ?? shortSHA(facts.revertSHA)}`,
  };
  return {
    status: status(observed, progress(waiting ?? merging, lines), now),
    pullRequest: proposal(known, facts.revertSHA, lines, waiting === undefined),
    commitStatus: revertPromotionStatus(revertCommit, facts.revertSHA, observed.gates),
  };
}

/** Returns what the merge waits for; undefined when it may go ahead. */
function waitingFor(
  { revertCommit, pullRequest }: ObservedRevert,
  lines: readonly CheckLine[],
): ConditionReason | undefined {
  const block = blocking(lines);
  if (block !== undefined) return { reason: block.reason, message: `${block.name}: ${block.message}` };
  const open = pullRequest?.status;
  if (open?.state !== 'open') return openingReason(pullRequest);
  if (revertCommit.spec.mode === 'PullRequest') {
    const message = `all checks pass; merge ${open.url ?? 'the pull request'} by hand, or set spec.mode to Auto`;
    return { reason: 'WaitingForPerson', message };
  }
  return undefined;
}

function proposal(
  { observed, active, target, branch }: Known,
  revertSHA: string,
  lines: readonly CheckLine[],
  merge: boolean,
) {
  const { revertCommit, gates } = observed;
  const { spec } = revertCommit;
  const text = revertText(revertCommit, active, target);
  const proposed = {
    hydratedSHA: revertSHA,
    drySHA: target.drySHA,
  };
  const trailers = revertTrailers(spec, active, target);
  return pullRequestOf(revertCommit, revertPullRequestKey(revertCommit), {
    repoRef: spec.repoRef,
    title: text.title,
    description: describeWithChecks(text.description, lines, blocking(lines)?.message),
    sourceBranch: branch,
    targetBranch: spec.activeBranch,
    ...(gates.pullRequest?.labels && { labels: gates.pullRequest.labels }),
    headSHA: revertSHA,
    state: 'open',
    ...(merge && {
      merge: {
        sha: revertSHA,
        method: gates.pullRequest?.mergeMethod ?? 'merge',
        message: mergeMessage(text, { active, proposed }, gates.findings, [], trailers),
      },
    }),
  });
}

/** Returns the pull request with the state `closed`; undefined when none is open. */
function withdrawn({ revertCommit, pullRequest }: ObservedRevert): ApplyConfiguration | undefined {
  if (pullRequest?.status?.state !== 'open') return undefined;
  return withoutMerge(revertCommit, pullRequest, { state: 'closed' });
}

function status({ revertCommit, pullRequest }: ObservedRevert, progress: Progress, now: number) {
  return progressStatus(revertCommit, progress, pullRequest?.status?.url, now);
}

function wakeAtExpiry(decision: RevertDecision, expiresAt: string | undefined, now: number): RevertDecision {
  if (expiresAt === undefined || decision.status.inForce !== true) return decision;
  return { ...decision, requeueAfterMs: Math.max(0, Date.parse(expiresAt) - now) };
}
