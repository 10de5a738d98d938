import {
  keyOf,
  repositoryKey,
  type ProposedCommit,
  type PullRequest,
  type RevertCommit,
} from '@interlock/api';
import { isProblem, Problem } from '@interlock/base';
import type { HistoryReader, Mirror } from '@interlock/git';
import { Later, type Observation, type ObserveContext } from '@interlock/kube';
import { commitStatusesAt, referringTo } from '../caches.js';
import { isAncestor } from '../promotion/ancestry.js';
import { branchNameProblem } from '../promotion/branch-names.js';
import { environmentFacts } from '../promotion/facts.js';
import { history } from '../promotion/history.js';
import { isProposing, type EnvironmentFacts } from '../promotion/model.js';
import { takenChildProblem } from '../promotion/pull-request.js';
import { originIfKnown, rejectedOrigin } from '../promotion/rejection.js';
import { revertsInForce } from '../promotion/reverts.js';
import type { StatusReads } from '../promotion/status-reads.js';
import { findStatuses, keysOf, ownerStrategy, type StatusesOfCommit } from '../promotion/statuses.js';
import { isStatusCurrent, type RepositoryView } from '../repository/repositories.js';
import { refsOfProposedCommit } from '../repository/refs.js';
import type { PromoterContext } from '../context.js';
import { pullRequestKey } from './decide.js';
import type { Evaluations } from './evaluations.js';
import type { ObservedProposedCommit, ProposedCommitFacts } from './observed.js';

/** The Kubernetes objects of an observation, from the caches or fresh from the API server. */
interface ProposedCommitResources {
  proposedCommit: ProposedCommit;
  pullRequest: PullRequest | undefined;
  /**
   * Returns the CommitStatuses of its namespace. They refer to SHAs, so they may be newer than the branches, and are read
   * last.
   */
  statusesFor: StatusesOfCommit;
  /** The RevertCommits of its repository. */
  reverts: readonly RevertCommit[];
}

interface ObserveParts extends Pick<PromoterContext, 'caches' | 'repositories'> {
  evaluations: Pick<Evaluations, 'awaitedSince'>;
  reads: StatusReads;
}

/** Reads what a decision about a proposed commit depends on. @throws TypedError of the git layer, or of a refresh. */
export async function readProposedCommit(
  { caches, repositories, evaluations, reads }: ObserveParts,
  proposedCommit: ProposedCommit,
  { isFresh, signal, now }: ObserveContext,
): Promise<Observation<ObservedProposedCommit>> {
  const repository = repositoryKey(proposedCommit);
  const { activeBranch, proposedBranch } = proposedCommit.spec;
  const wrongName = branchNameProblem([
    { field: 'spec.activeBranch', branch: activeBranch },
    { field: 'spec.proposedBranch', branch: proposedBranch },
  ]);
  if (wrongName !== undefined) return wrongName;
  /* Before a refresh: the state of the pull request must not be newer than the branches. */
  const pullRequest = caches.pullRequests.get(pullRequestKey(proposedCommit));
  const taken = takenChildProblem(proposedCommit, pullRequest);
  if (taken !== undefined) return taken;
  const resources = {
    proposedCommit,
    pullRequest,
    statusesFor: reads.recorded(proposedCommit, commitStatusesAt(caches, repository, now)),
    reverts: referringTo(caches.revertCommits, repository),
  };
  const view = isFresh
    ? await repositories.refresh(repository, signal)
    : repositories.view(repository, refsOfProposedCommit(proposedCommit));
  if (isStatusCurrent(proposedCommit, view)) return new Later();
  /* A problem of the repository is fixed and reported elsewhere. */
  if (isProblem(view)) return new Problem(view.reason, view.message);
  const observed = await observeProposedCommit(resources, view);
  const { proposed } = observed.facts;
  const awaitedSince = evaluations.awaitedSince(keyOf(proposedCommit), proposed?.hydratedSHA);
  return { ...observed, awaitedSince };
}

/** Returns what a decision about a proposed commit depends on. @throws TypedError of the git layer. */
export async function observeProposedCommit(
  { proposedCommit, pullRequest, statusesFor, reverts }: ProposedCommitResources,
  view: RepositoryView,
): Promise<ObservedProposedCommit> {
  const { spec } = proposedCommit;
  const mirror = view.mirror.at(spec.activePath);
  const facts = await readFacts(proposedCommit, reverts, view);
  const rejectedSHA = await rejectedOrigin(mirror, pullRequest);
  const lostSHA = await lostMerge(mirror, facts, pullRequest);
  const reader = { branch: spec.activeBranch, strategy: ownerStrategy(proposedCommit) };
  const statuses = (selectors: readonly { key: string }[] | undefined, sha: string | undefined) =>
    findStatuses(keysOf(selectors), sha, statusesFor, reader);
  return {
    proposedCommit,
    facts,
    proposedStatuses: statuses(spec.commitStatuses?.proposed, facts.proposed?.hydratedSHA),
    activeStatuses: statuses(spec.commitStatuses?.active, facts.active?.hydratedSHA),
    pullRequest,
    rejectedSHA,
    lostSHA,
  };
}

/** Returns the merge commit of the proposal if the SCM made it and the environment branch does not contain it. */
async function lostMerge(
  mirror: HistoryReader,
  facts: ProposedCommitFacts,
  pullRequest: PullRequest | undefined,
): Promise<string | undefined> {
  const { state, headSHA, mergeSHA } = pullRequest?.status ?? {};
  if (facts.tipSHA === undefined || !isProposing(facts)) return undefined;
  if (state !== 'merged' || headSHA === undefined) return undefined;
  if ((await originIfKnown(mirror, headSHA)) !== facts.proposed?.originSHA) return undefined;
  for (const sha of [headSHA, mergeSHA]) {
    if (sha !== undefined && (await isAncestor(mirror, sha, facts.tipSHA)) === true) return undefined;
  }
  return mergeSHA ?? headSHA;
}

async function readFacts(
  { spec }: ProposedCommit,
  reverts: readonly RevertCommit[],
  view: RepositoryView,
): Promise<ProposedCommitFacts> {
  const { activeBranch: branch, proposedBranch, activePath, proposedSHA: pinned } = spec;
  const mirror = view.mirror.at(activePath);
  const facts = await environmentFacts(mirror, view.refs, {
    branch,
    proposedBranch,
    activePath,
    pinned,
  });
  return {
    ...facts,
    ...(await readTrees(view.mirror, mirror, facts)),
    reverts: await revertsInForce(mirror, facts, reverts),
    history: await history(mirror, facts.tipSHA),
  };
}

async function readTrees(
  mirror: Mirror,
  folder: HistoryReader,
  facts: EnvironmentFacts,
): Promise<Pick<ProposedCommitFacts, 'mergedTreeSHA' | 'requiredTreeSHA' | 'containsTip'>> {
  const { tipSHA, proposed } = facts;
  if (!isProposing(facts) || tipSHA === undefined || proposed?.drySHA === undefined) return {};
  const merged = await mirror.mergeTree(tipSHA, proposed.hydratedSHA);
  const requiredTreeSHA = await folder.whole(tipSHA, proposed.treeSHA);
  const containsTip = (await isAncestor(mirror, tipSHA, proposed.hydratedSHA)) === true;
  return {
    requiredTreeSHA: requiredTreeSHA,
    containsTip,
    ...(merged.clean && merged.related && { mergedTreeSHA: merged.tree }),
  };
}
