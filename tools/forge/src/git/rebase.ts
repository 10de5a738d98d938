import type { BareRepository } from './bare-repository.js';
import type { Signature } from './commit.js';

/**
 * Applies the commits of `head` that `base` does not contain on top of `base`, oldest first, without merge commits.
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
    // git merges from the common ancestor. A commit with our tree and their parent makes that parent the ancestor.
    const stand = await repository.createCommit({
      ...anonymous,
      tree: ours,
      parents: parent === undefined ? [] : [parent],
      message: 'base of a cherry-pick',
    });
    const tree = await repository.mergeTrees(stand, commit.sha);
    if (tree === undefined) return undefined;
    const { author, message } = commit;
    tip = await repository.createCommit({ tree, parents: [tip], author, committer, message });
  }
  return tip;
}
