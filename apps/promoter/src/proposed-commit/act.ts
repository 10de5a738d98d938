import { ProposedCommit, PullRequest } from '@interlock/api';
import { branchRef } from '@interlock/git';
import { promoterIdentity } from '../promotion/identity.js';
import type { RepositoryView } from '../repository/repositories.js';
import type { Shared } from '../shared.js';
import type { Alignment } from './alignment.js';
import type { ProposedCommitDecision, Publication } from './decide.js';

/** Applies a decision; every call is idempotent. */
export async function actOnProposedCommit(
  { applier, caches, statuses }: Shared,
  proposedCommit: ProposedCommit,
  decision: ProposedCommitDecision,
): Promise<void> {
  if (decision.pullRequest !== undefined) {
    await applier.apply(PullRequest, caches.pullRequests, decision.pullRequest);
  }
  await statuses.write(ProposedCommit, proposedCommit, decision.status);
}

/**
 * Makes or moves a branch, which belongs to the promoter alone.
 * @throws TypedError `Conflict` when it moved meanwhile.
 */
export function publish(
  { mirror }: RepositoryView,
  { branch, sha, expected }: Publication,
  signal: AbortSignal,
): Promise<void> {
  return mirror.push({ ref: branchRef(branch), sha, expected, force: expected !== null }, { signal });
}

/**
 * Pushes the merge commit. @returns its SHA. The same inputs give the same commit, so that a crash between push and refresh does nothing
 * twice.
 * @throws TypedError `Conflict` when the branch moved on.
 */
export async function align(
  view: RepositoryView,
  alignment: Alignment,
  signal: AbortSignal,
): Promise<string> {
  const { mirror } = view;
  const { branch, expected, parents, treeSHA, activePath, message } = alignment;
  /* The new commit is nobody's yet: the mirror must not be cleared between making and pushing it. */
  return mirror.keep(
    async () => {
      const [{ committer }, { tree: base }] = await Promise.all([
        mirror.commit(parents[0]),
        mirror.commit(parents[1]),
      ]);
      const tree = await mirror.graft(base, activePath ?? '', treeSHA, { signal });
      const identity = { ...promoterIdentity, date: committer.date };
      const sha = await mirror.commitTree({ tree, parents, message, author: identity }, { signal });
      await mirror.push({ ref: branchRef(branch), sha, expected }, { signal });
      return sha;
    },
    { signal },
  );
}
