import type { CommitStatus, ProposedCommit, PullRequest, RevertCommit } from '@interlock/api';
import { environmentFacts, history } from '../promotion/facts.js';
import { isProposing, type Problem } from '../promotion/model.js';
import { revertsInForce } from '../promotion/reverts.js';
import { findStatuses, keysOf } from '../promotion/statuses.js';
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
  const statuses = (selectors: readonly { key: string }[] | undefined, sha: string | undefined) =>
    findStatuses(keysOf(selectors), sha, commitStatuses);
  return {
    proposedCommit,
    facts,
    proposedStatuses: statuses(spec.commitStatuses?.proposed, known?.proposed?.hydratedSHA),
    activeStatuses: statuses(spec.commitStatuses?.active, known?.active?.hydratedSHA),
    ...(pullRequest && { pullRequest }),
  };
}

async function readFacts(
  { spec }: ProposedCommit,
  reverts: readonly RevertCommit[],
  view: RepositoryView,
): Promise<ProposedCommitFacts> {
  const facts = await environmentFacts(view.mirror, view.refs, spec.activeBranch, spec.proposedBranch);
  const merged =
    isProposing(facts) && facts.active && facts.proposed
      ? await view.mirror.mergeTree(facts.active.hydratedSHA, facts.proposed.hydratedSHA)
      : undefined;
  return {
    ...facts,
    ...(merged?.clean && { mergedTreeSHA: merged.tree }),
    reverts: await revertsInForce(view.mirror, facts, reverts),
    history: await history(view.mirror, facts.active?.hydratedSHA),
  };
}
