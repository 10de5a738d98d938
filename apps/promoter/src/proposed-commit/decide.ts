import {
  conditions,
  isTyped,
  keyOf,
  promotionStatusKey,
  shortSHA,
  type ObjectKey,
  type ProposedCommit,
  type ProposedCommitStatus,
} from '@interlock/api';
import { isTrue, type ApplyConfiguration, type ConditionReason } from '@interlock/kube';
import { adopts, alignment, type Alignment } from './alignment.js';
import { environmentProblem } from '../promotion/branches.js';
import { describeWithChecks } from '../promotion/checks-table.js';
import { blocking, checkOf } from '../promotion/checks.js';
import { heldByRevert } from '../promotion/held.js';
import { mergeMessage } from '../promotion/merge-message.js';
import { describeDrift, isProposing } from '../promotion/model.js';
import { pullRequestOf, withoutMerge } from '../promotion/pull-request.js';
import { pullRequestText, type PullRequestText } from '../promotion/pull-request-text.js';
import type { ObservedProposedCommit } from './observed.js';
import { isOpening, mustContainBase, openingReason, unmergedReason } from './refused.js';
import { brokenStatus, knownStatus, stalledStatus } from './status.js';

export interface ProposedCommitDecision {
  status: ProposedCommitStatus;
  /** The pull request to apply; absent to leave the existing one unchanged. */
  pullRequest?: ApplyConfiguration;
  /** A commit to push to the proposed branch before anything else. */
  align?: Alignment;
  /** A branch to create or to move before anything else. */
  publish?: Publication;
  /** Milliseconds for which the status is not written, because its state usually ends sooner. */
  deferredMs?: number;
}

/* Usually the rules are evaluated within milliseconds. */
const evaluationMs = 1_000;

/** Returns whether a branch is pushed. */
export function isPush({ align, publish }: ProposedCommitDecision): boolean {
  return align !== undefined || publish !== undefined;
}

export interface Publication {
  branch: string;
  sha: string;
  /** The commit that the branch points at; the push fails if it moved. */
  expected: string | null;
}

/** Returns what is to be done for a proposed commit. Pure; `now` in milliseconds since the epoch. */
export function decideProposedCommit(observed: ObservedProposedCommit, now: number): ProposedCommitDecision {
  const { proposedCommit, facts } = observed;
  const problem = environmentProblem(facts);
  if (problem !== undefined) {
    const status = brokenStatus(proposedCommit, problem, now);
    return facts.active === undefined ? { status, ...withdrawn(observed) } : { status };
  }
  if (!isProposing(facts)) return proposeNothing(observed, undefined, now);
  const reverted = heldByRevert(facts.reverts);
  if (reverted !== undefined) return proposeNothing(observed, reverted, now);
  if (facts.proposed?.originSHA === observed.rejectedSHA) return leaveRejected(observed, now);
  if (observed.lostSHA !== undefined) {
    const lost = shortSHA(observed.lostSHA);
    const url = observed.pullRequest?.status?.url ?? 'the pull request';
    const message = `${facts.branch} was reset: ${lost}, by which ${url} was merged, is no longer on the branch; push ${lost} to ${facts.branch} again, or wait for the next hydrated commit`;
    return { status: knownStatus(observed, { reason: 'SetBack', message }, now) };
  }
  if (facts.publish !== undefined && facts.proposed !== undefined) {
    const publish = { branch: facts.proposedBranch, sha: facts.proposed.hydratedSHA, ...facts.publish };
    const message = `pushing ${shortSHA(publish.sha)} to ${publish.branch}`;
    return { status: knownStatus(observed, { reason: 'Publishing', message }, now), publish };
  }
  const mustContain = mustContainBase(observed.pullRequest, facts.proposed?.hydratedSHA);
  const behind = mustContain && facts.containsTip === false;
  const align = alignment(facts, proposedCommit.spec.driftPolicy, behind);
  if (align !== undefined) {
    const message = `merging ${facts.branch} into ${facts.proposedBranch}`;
    return { status: knownStatus(observed, { reason: 'Aligning', message }, now), align };
  }
  if (isUnevaluated(observed)) return awaitRules(observed, now);
  try {
    return propose(observed, pullRequestText(proposedCommit.spec.pullRequest, facts), now);
  } catch (error) {
    if (!isTyped(error, 'Invalid')) throw error;
    const { reason } = error;
    return {
      status: stalledStatus(proposedCommit, { reason, message: `spec.pullRequest: ${error.message}` }, now),
    };
  }
}

function propose(
  observed: ObservedProposedCommit,
  text: PullRequestText,
  now: number,
): ProposedCommitDecision {
  const { proposedCommit, facts, pullRequest, proposedStatuses } = observed;
  const sha = facts.proposed?.hydratedSHA;
  const waiting = adoptionProblem(observed) ?? waitingFor(observed);
  const unmerged = waiting === undefined ? unmergedReason(pullRequest, sha) : undefined;
  /* The reader of a pull request does not need to know that it is being opened. */
  const shown = waiting !== undefined && isOpening(waiting) ? undefined : (waiting ?? unmerged);
  const spec = {
    repoRef: proposedCommit.spec.repoRef,
    title: text.title,
    description: describeWithChecks(text.description, proposedStatuses.map(checkOf), shown?.message),
    sourceBranch: facts.proposedBranch,
    targetBranch: facts.branch,
    ...(text.labels.length > 0 && { labels: text.labels }),
    headSHA: sha,
    state: 'open',
    ...(waiting === undefined && { merge: merge(observed, text) }),
  };
  const merging = {
    reason: 'Merging',
    message: `merging ${pullRequest?.status?.url ?? shortSHA(sha)}`,
  };
  return {
    status: knownStatus(observed, waiting ?? unmerged ?? merging, now),
    pullRequest: pullRequestOf(proposedCommit, pullRequestKey(proposedCommit), spec),
  };
}

function merge(
  { proposedCommit, facts, proposedStatuses, activeStatuses }: ObservedProposedCommit,
  text: PullRequestText,
) {
  return {
    sha: facts.proposed?.hydratedSHA,
    method: proposedCommit.spec.pullRequest?.mergeMethod ?? 'merge',
    message: mergeMessage(text, facts, proposedStatuses, activeStatuses),
  };
}

/** Returns why drift cannot be adopted: the SCM could not merge it either. */
function adoptionProblem({ proposedCommit, facts }: ObservedProposedCommit): ConditionReason | undefined {
  if (!adopts(facts, proposedCommit.spec.driftPolicy) || facts.mergedTreeSHA !== undefined) return undefined;
  const kept = describeDrift(facts.drift) || 'the commits adopted earlier';
  const message = `${facts.proposedBranch} conflicts with ${kept}; bring the change into the dry branch, or choose another driftPolicy`;
  return { reason: 'DriftConflict', message };
}

/** Reports that the rules are being evaluated, but only when the evaluation takes a long time. */
function awaitRules(observed: ObservedProposedCommit, now: number): ProposedCommitDecision {
  const message = 'the rules of the strategy are being evaluated';
  const status = knownStatus(observed, { reason: 'Evaluating', message }, now);
  const deferredMs = (observed.awaitedSince ?? now) + evaluationMs - now;
  return deferredMs > 0 ? { status, deferredMs } : { status };
}

/* A pull request that is opened a moment later then states from the start what it waits for. */
export function isUnevaluated({
  proposedStatuses,
}: Pick<ObservedProposedCommit, 'proposedStatuses'>): boolean {
  return proposedStatuses.some(({ key, reason }) => key === promotionStatusKey && reason === 'Missing');
}

/** Returns what the merge waits for; undefined when the merge may proceed. */
function waitingFor(observed: ObservedProposedCommit): ConditionReason | undefined {
  const { proposedCommit, pullRequest, proposedStatuses } = observed;
  const known = pullRequest?.status;
  const block = blocking(proposedStatuses.map(checkOf));
  if (block !== undefined) return { reason: block.reason, message: `${block.name}: ${block.message}` };
  if (known?.state !== 'open') return openingReason(pullRequest);
  if (!proposedCommit.spec.autoMerge) {
    const message = `all checks pass; merge ${known.url ?? 'the pull request'} by hand (autoMerge is false)`;
    return { reason: 'WaitingForPerson', message };
  }
  return undefined;
}

/**
 * Leaves a commit alone that a user rejected: it is neither aligned nor proposed, whatever happens to the environment
 * branch. The pull request keeps the commit with which it was closed, so that the pull request is final.
 */
function leaveRejected(observed: ObservedProposedCommit, now: number): ProposedCommitDecision {
  const { proposedCommit, pullRequest } = observed;
  const url = pullRequest?.status?.url ?? 'the pull request';
  const message = `${url} was closed by a user; reopen it, or wait for the next hydrated commit`;
  const result = { status: knownStatus(observed, { reason: 'Rejected', message }, now) };
  const closedSHA = pullRequest?.status?.headSHA;
  if (pullRequest === undefined || pullRequest.spec.headSHA === closedSHA) return result;
  return { ...result, pullRequest: withoutMerge(proposedCommit, pullRequest, { headSHA: closedSHA }) };
}

/**
 * Withdraws the pull request into a branch that was deleted: the SCM closes it, which is not a rejection. A commit that
 * was rejected before stays rejected.
 */
function withdrawn({
  proposedCommit,
  pullRequest,
}: ObservedProposedCommit): Pick<ProposedCommitDecision, 'pullRequest'> {
  const isRejected = isTrue(proposedCommit.status?.conditions, conditions.rejected);
  const state = pullRequest?.status?.state;
  if (pullRequest?.spec.state !== 'open' || (state !== 'open' && state !== 'closed') || isRejected) return {};
  return { pullRequest: withoutMerge(proposedCommit, pullRequest, { state: 'closed' }) };
}

/** Closes a pull request that is still open while nothing is proposed any more. `waiting` is the hold of a revert. */
function proposeNothing(
  observed: ObservedProposedCommit,
  waiting: ConditionReason | undefined,
  now: number,
): ProposedCommitDecision {
  const { proposedCommit, pullRequest } = observed;
  const result = { status: knownStatus(observed, waiting, now) };
  if (pullRequest?.status?.state !== 'open') return result;
  return { ...result, pullRequest: withoutMerge(proposedCommit, pullRequest, { state: 'closed' }) };
}

/** Returns the key of the PullRequest of a proposed commit, which has the same name. */
export function pullRequestKey(proposedCommit: ProposedCommit): ObjectKey {
  return keyOf(proposedCommit);
}
