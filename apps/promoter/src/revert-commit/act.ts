import { CommitStatus, PullRequest, RevertCommit } from '@interlock/api';
import { branchRef, type Mirror } from '@interlock/git';
import { promoterIdentity } from '../promotion/identity.js';
import type { Shared } from '../shared.js';
import type { RevertBuild, RevertDecision } from './decide.js';

/** Applies a decision; every call is idempotent. */
export async function actOnRevert(
  { applier, caches, statuses }: Shared,
  revertCommit: RevertCommit,
  { pullRequest, commitStatus, status }: RevertDecision,
): Promise<void> {
  if (commitStatus !== undefined) await applier.apply(CommitStatus, caches.commitStatuses, commitStatus);
  if (pullRequest !== undefined) await applier.apply(PullRequest, caches.pullRequests, pullRequest);
  await statuses.write(RevertCommit, revertCommit, status);
}

/**
 * Makes the commit and pushes it to its branch, which belongs to the promoter alone: what is there is replaced. The same
 * inputs give the same commit, so that a crash after the push does nothing twice.
 * @returns its SHA.
 * @throws TypedError `Conflict` when the branch moved meanwhile.
 */
export async function pushRevert(mirror: Mirror, build: RevertBuild, signal: AbortSignal): Promise<string> {
  const { branch, parent, treeSHA, activePath, message, date } = build;
  const ref = branchRef(branch);
  /* The new commit is nobody's yet: the mirror must not be cleared between making and pushing it. */
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
