import type { PullRequest, PullRequestStatus } from '@interlock/api';
import { isProblem } from '@interlock/base';
import { ApiError, Failure, type Conclusion, type EventInput } from '@interlock/kube';
import type { PullRequestDecision } from './decide.js';
import { hasEnded } from './finalizer.js';
import { untilNextAttempt } from './merge-attempts.js';
import { MergeRefused } from './merge-refused.js';
import type { KnownRepository, ObservedPullRequest, Source } from './observed.js';
import { isReopenable, nextResync } from './read.js';
import { isDeleted } from './state.js';
import { forgottenStatus, leftNote, pullRequestStatus, type Outcome } from './status.js';

const mergeRetryMs = 30_000;
const nowhere: Source = { plugin: '', url: '' };

/** Returns the conclusion about a PullRequest after an act. Pure; `now` in milliseconds since the epoch. */
export function concludePullRequest(
  observed: ObservedPullRequest,
  decision: PullRequestDecision,
  outcome: Outcome | Failure,
  now: number,
): Conclusion<PullRequest> {
  const { pullRequest, repository } = observed;
  if (outcome instanceof Failure) return concludeFailure(observed, outcome, now);
  if (decision.type === 'release') {
    const isGoing = isDeleted(pullRequest);
    /* If the object remains, the next decision is made without the finalizer. */
    return {
      releases: true,
      happened: isGoing ? left(observed) : [],
      requeueAfterMs: isGoing ? undefined : 0,
    };
  }
  if (decision.type === 'wait')
    return { requeueAfterMs: Math.min(decision.ms, untilRead(pullRequest.status, now)) };
  if (isProblem(repository)) {
    const { reason, message } = repository;
    return { status: pullRequestStatus(pullRequest, nowhere, { problem: { reason, message } }, now) };
  }
  if (decision.type === 'forget') {
    const status = forgottenStatus(pullRequest, repository.url, now);
    return { status, happened: left(observed), requeueAfterMs: 0 };
  }
  return concludeAct(pullRequest, repository, decision, outcome, now);
}

function concludeAct(
  pullRequest: PullRequest,
  repository: KnownRepository,
  decision: PullRequestDecision,
  outcome: Outcome,
  now: number,
): Conclusion<PullRequest> {
  const happened = transition(pullRequest, outcome);
  if (isDeleted(pullRequest)) return { happened, releases: true };
  const status = pullRequestStatus(pullRequest, repository, outcome, now);
  return {
    status,
    happened,
    releases: hasEnded(pullRequest, repository.plugin, { decision, outcome }, status),
    requeueAfterMs: requeueAfter({ ...pullRequest, status }, repository, decision, now),
  };
}

/** @param pullRequest with its status after the act */
function requeueAfter(
  pullRequest: PullRequest,
  { view }: KnownRepository,
  { type }: PullRequestDecision,
  now: number,
): number | undefined {
  const { spec, status } = pullRequest;
  /* The pull request of another branch was closed first. */
  if (type === 'close' && spec.state === 'open') return 0;
  if (isReopenable(pullRequest)) return view === 'absent' ? undefined : untilRead(status, now);
  if (status?.state !== 'open') return undefined;
  /* The next step after the text, or the queue, is decided with the status that records it. */
  if (type === 'ensure' || type === 'dequeue') return 0;
  const readMs = untilRead(status, now);
  const attemptMs = untilNextAttempt(pullRequest, now);
  return attemptMs > 0 ? Math.min(readMs, attemptMs) : readMs;
}

/* A user may close it before the next attempt to merge it, or reopen it. */
function untilRead(status: PullRequestStatus | undefined, now: number): number {
  return Math.max(nextResync(status, now), mergeRetryMs);
}

function concludeFailure(
  { pullRequest, repository }: ObservedPullRequest,
  { error, lasts }: Failure,
  now: number,
): Conclusion<PullRequest> {
  /* A refusal of the cluster does not concern the pull request. */
  if (!lasts || error instanceof ApiError) return {};
  const source = isProblem(repository) ? nowhere : repository;
  const { reason, message } = error;
  const problem = { reason, message };
  if (!(error instanceof MergeRefused))
    return { status: pullRequestStatus(pullRequest, source, { problem }, now) };
  const merge = { sha: error.sha, state: 'Refused', reason, message } as const;
  const status = pullRequestStatus(pullRequest, source, { problem, merge }, now);
  const retryMs = Math.min(untilNextAttempt({ ...pullRequest, status }, now), untilRead(status, now));
  return { status, requeueAfterMs: reason === 'Retargeted' ? 0 : retryMs };
}

function left({ pullRequest, repository }: ObservedPullRequest): EventInput[] {
  if (isProblem(repository) || repository.view !== 'foreign') return [];
  if (pullRequest.status?.state !== 'open') return [];
  return [happened('PullRequestLeft', leftNote(pullRequest, repository.url))];
}

/* The state at the SCM is new. */
function transition({ spec, status }: PullRequest, { info }: Outcome): EventInput[] {
  if (info === undefined || info.state === status?.state) return [];
  const what = `${info.url} (${spec.sourceBranch} into ${spec.targetBranch})`;
  switch (info.state) {
    case 'open':
      return [happened('PullRequestOpened', `${what} is open`)];
    case 'merged':
      return [happened('PullRequestMerged', `${what} was merged by ${info.mergedBy ?? 'an unknown user'}`)];
    case 'closed':
      return [happened('PullRequestClosed', `${what} was closed by ${info.closedBy ?? 'an unknown user'}`)];
  }
}

function happened(reason: string, note: string): EventInput {
  return { type: 'Normal', reason, action: 'Promote', note };
}
