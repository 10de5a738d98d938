import type { BareRepository } from './bare-repository.js';
import type { Signature } from './commit.js';
import { git } from './run.js';

/**
 * Merges two commits in the object database, with neither a work tree nor an index.
 *
 * @returns the merged tree, or undefined when they conflict.
 */
export async function mergeTrees(
  repository: BareRepository,
  ours: string,
  theirs: string,
): Promise<string | undefined> {
  const args = ['merge-tree', '--write-tree', '--no-messages', ours, theirs];
  const { code, stdout } = await git(repository.path, args, { allow: [1] });
  return code === 0 ? stdout.toString('utf8').trim() : undefined;
}

/**
 * Puts the commits of `head` that `base` lacks on top of `base`, oldest first; merge commits are left out.
 *
 * @returns the last of the new commits, or undefined when one conflicts.
 */
export async function rebase(
  repository: BareRepository,
  { base, head, committer }: { base: string; head: string; committer: Signature },
): Promise<string | undefined> {
  const commits = await repository.log(['--reverse', '--topo-order', '--no-merges', `${base}..${head}`]);
  let tip = base;
  for (const commit of commits) {
    const [parent] = commit.parents;
    const { tree: ours } = await repository.commit(tip);
    const anonymous = { author: committer, committer };
    // git merges from the common ancestor: a commit with our tree on their parent makes that parent the ancestor.
    const stand = await repository.createCommit({
      ...anonymous,
      tree: ours,
      parents: parent === undefined ? [] : [parent],
      message: 'base of a cherry-pick',
    });
    const tree = await mergeTrees(repository, stand, commit.sha);
    if (tree === undefined) return undefined;
    const { author, message } = commit;
    tip = await repository.createCommit({ tree, parents: [tip], author, committer, message });
  }
  return tip;
}
