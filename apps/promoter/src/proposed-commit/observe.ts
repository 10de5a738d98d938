import {
  PromotionStrategy,
  type CommitStatus,
  type ProposedCommit,
  type PullRequest,
  type RevertCommit,
} from '@interlock/api';
import { controllerOf } from '@interlock/kube';
import { isAncestor } from '../promotion/ancestry.js';
import { environmentFacts } from '../promotion/facts.js';
import { history } from '../promotion/history.js';
import type { HistoryReader, Mirror } from '@interlock/git';
import { isProposing, type EnvironmentFacts, type Problem } from '../promotion/model.js';
import { originIfKnown, rejectedOrigin } from '../promotion/rejection.js';
import { revertsInForce } from '../promotion/reverts.js';
import { findStatuses, keysOf, statusesOf } from '../promotion/statuses.js';
import { isView, type RepositoryView } from '../repository/repositories.js';
import type { ObservedProposedCommit, ProposedCommitFacts } from './observed.js';

/** The Kubernetes objects of an observation, from the caches or fresh from the API server. */
export interface ProposedCommitResources {
  proposedCommit: ProposedCommit;
  pullRequest: PullRequest | undefined;
  /** Those of its namespace. */
  commitStatuses: readonly CommitStatus[];
  /** Those of its repository. */
  reverts: readonly RevertCommit[];
}

/** @returns what a decision about a proposed commit depends on. @throws TypedError of the git layer. */
export async function observeProposedCommit(
  { proposedCommit, pullRequest, commitStatuses, reverts }: ProposedCommitResources,
  view: RepositoryView | Problem,
): Promise<ObservedProposedCommit> {
  const { spec } = proposedCommit;
  const facts = isView(view) ? await readFacts(proposedCommit, reverts, view) : view;
  const known = isView(view) ? (facts as ProposedCommitFacts) : undefined;
  const owner = controllerOf(proposedCommit);
  const strategy = owner?.kind === PromotionStrategy.kind ? owner : undefined;
  const candidates = statusesOf(commitStatuses, { branch: spec.activeBranch, strategy });
  const rejectedSHA = isView(view)
    ? await rejectedOrigin(view.mirror.at(spec.activePath), pullRequest)
    : undefined;
  const lostSHA = isView(view)
    ? await lostMerge(view.mirror.at(spec.activePath), known, pullRequest)
    : undefined;
  const statuses = (selectors: readonly { key: string }[] | undefined, sha: string | undefined) =>
    findStatuses(keysOf(selectors), sha, candidates);
  return {
    proposedCommit,
    facts,
    proposedStatuses: statuses(spec.commitStatuses?.proposed, known?.proposed?.hydratedSHA),
    activeStatuses: statuses(spec.commitStatuses?.active, known?.active?.hydratedSHA),
    ...(pullRequest && { pullRequest }),
    ...(rejectedSHA !== undefined && { rejectedSHA }),
    ...(lostSHA !== undefined && { lostSHA }),
  };
}

/** Returns the merge of what is proposed, where the SCM made it and the environment branch does not have it. */
async function lostMerge(
  mirror: HistoryReader,
  facts: ProposedCommitFacts | undefined,
  pullRequest: PullRequest | undefined,
): Promise<string | undefined> {
  const { state, headSHA, mergeSHA } = pullRequest?.status ?? {};
  if (facts?.tipSHA === undefined || !isProposing(facts)) return undefined;
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
    ...(activePath !== undefined && { activePath }),
    ...(pinned !== undefined && { pinned }),
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
): Promise<Pick<ProposedCommitFacts, 'mergedTreeSHA' | 'wantedTreeSHA' | 'containsTip'>> {
  const { tipSHA, proposed } = facts;
  if (!isProposing(facts) || tipSHA === undefined || proposed?.drySHA === undefined) return {};
  const merged = await mirror.mergeTree(tipSHA, proposed.hydratedSHA);
  const wantedTreeSHA = await folder.whole(tipSHA, proposed.treeSHA);
  const containsTip = (await isAncestor(mirror, tipSHA, proposed.hydratedSHA)) === true;
  return {
    wantedTreeSHA,
    containsTip,
    ...(merged.clean && merged.related && { mergedTreeSHA: merged.tree }),
  };
}
