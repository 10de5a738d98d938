import type { Core } from './core.js';
import type { PullRequest, Repository } from './model.js';

/**
 * Returns the commit from which the commits and the diff of a pull request are computed: the merge base of its branches
 * or, for a merged pull request, their merge base before the merge.
 */
export async function startOf(
  core: Core,
  repository: Repository,
  { base, head, merge }: PullRequest,
): Promise<string> {
  const git = core.git(repository);
  const tip = merge === undefined ? repository.refs[`refs/heads/${base.ref}`] : base.sha;
  return (await git.mergeBase(tip ?? base.sha, head.sha)) ?? base.sha;
}
