import { branchRef, PullRequest, repositoryKey } from '@interlock/api';
import type { Mirror } from '@interlock/git';
import type { ReconcileContext } from '@interlock/kube';
import { promoterIdentity } from '../promotion/identity.js';
import { requireView } from '../repository/repositories.js';
import type { PromoterContext } from '../context.js';
import type { Alignment } from './alignment.js';
import { isPush, type ProposedCommitDecision, type Publication } from './decide.js';
import type { ObservedProposedCommit } from './observed.js';

/**
 * Applies a decision. Returns the SHA of the merge commit that was pushed, if any.
 *
 * @throws TypedError of the API server, or of the push.
 */
export async function actOnProposedCommit(
  { applier, caches, repositories }: Pick<PromoterContext, 'applier' | 'caches' | 'repositories'>,
  decision: ProposedCommitDecision,
  { proposedCommit }: ObservedProposedCommit,
  { signal }: ReconcileContext,
): Promise<string | undefined> {
  const { pullRequest, publish, align } = decision;
  if (pullRequest !== undefined) await applier.apply(PullRequest, caches.pullRequests, pullRequest);
  if (!isPush(decision)) return undefined;
  const { mirror } = requireView(repositories.view(repositoryKey(proposedCommit)));
  if (publish !== undefined) await pushPublication(mirror, publish, signal);
  return align && pushAlignment(mirror, align, signal);
}

/**
 * Creates or moves a branch that belongs to the promoter alone.
 *
 * @throws TypedError `Conflict` when it moved in the meantime.
 */
function pushPublication(
  mirror: Mirror,
  { branch, sha, expected }: Publication,
  signal: AbortSignal,
): Promise<void> {
  return mirror.push({ ref: branchRef(branch), sha, expected, force: expected !== null }, { signal });
}

/**
 * Pushes the merge commit and returns its SHA. The same inputs give the same commit, so a crash between push and refresh
 * does not repeat anything.
 *
 * @throws TypedError `Conflict` when the branch moved on.
 */
async function pushAlignment(mirror: Mirror, alignment: Alignment, signal: AbortSignal): Promise<string> {
  const { branch, expected, parents, treeSHA, activePath, message } = alignment;
  /* No reference names the new commit yet, so the mirror must not be cleared between making and pushing it. */
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
