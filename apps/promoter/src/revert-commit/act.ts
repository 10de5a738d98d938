import { branchRef, CommitStatus, PullRequest, repositoryKey } from '@interlock/api';
import type { Mirror } from '@interlock/git';
import type { ReconcileContext } from '@interlock/kube';
import { promoterIdentity } from '../promotion/identity.js';
import { requireView } from '../repository/repositories.js';
import type { PromoterContext } from '../context.js';
import type { RevertBuild, RevertDecision } from './decide.js';
import type { ObservedRevert } from './observed.js';

/**
 * Applies a decision. Returns the SHA of the commit that was pushed, if any.
 *
 * @throws TypedError of the API server, or of the push.
 */
export async function actOnRevert(
  { applier, caches, repositories }: Pick<PromoterContext, 'applier' | 'caches' | 'repositories'>,
  { pullRequest, commitStatus, build }: RevertDecision,
  { revertCommit }: ObservedRevert,
  { signal }: ReconcileContext,
): Promise<string | undefined> {
  if (commitStatus !== undefined) await applier.apply(CommitStatus, caches.commitStatuses, commitStatus);
  if (pullRequest !== undefined) await applier.apply(PullRequest, caches.pullRequests, pullRequest);
  if (build === undefined) return undefined;
  const { mirror } = requireView(repositories.view(repositoryKey(revertCommit)));
  return pushRevert(mirror, build, signal);
}

/**
 * Makes the commit, pushes it to its branch, which belongs to the promoter alone and is replaced, and returns its SHA. The
 * same inputs give the same commit, so a crash after the push does not repeat anything.
 *
 * @throws TypedError `Conflict` when the branch moved in the meantime.
 */
async function pushRevert(mirror: Mirror, build: RevertBuild, signal: AbortSignal): Promise<string> {
  const { branch, parent, treeSHA, activePath, message, date } = build;
  const ref = branchRef(branch);
  /* No reference names the new commit yet, so the mirror must not be cleared between making and pushing it. */
  return mirror.keep(
    async () => {
      const { tree: base } = await mirror.commit(parent);
      const tree = await mirror.graft(base, activePath ?? '', treeSHA, { signal });
      const author = { ...promoterIdentity, date };
      const sha = await mirror.commitTree({ tree, parents: [parent], message, author }, { signal });
      const expected = (await mirror.remoteRefs([ref], { signal })).get(ref) ?? null;
      if (expected !== sha) await mirror.push({ ref, sha, expected, force: expected !== null }, { signal });
      return sha;
    },
    { signal },
  );
}
