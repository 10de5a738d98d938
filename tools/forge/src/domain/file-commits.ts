import type { Core } from './core.js';
import type { GitData } from './git-data.js';
import type { Account, Repository } from './model.js';
import type { WorkingTree } from './working-tree.js';

/** Commits of any number of files, by the APIs that know no trees. */
export class FileCommits {
  constructor(
    readonly core: Core,
    readonly data: GitData,
  ) {}

  /**
   * Makes a commit of `tree`, whose parent is `parent`, and `branch` point at it.
   *
   * @returns the commit. @throws Refusal when the branch is protected, has no good name, or is not at or behind `parent`.
   */
  async commit(
    repository: Repository,
    by: Account,
    { branch, parent, message, tree }: { branch: string; parent: string; message: string; tree: WorkingTree },
  ): Promise<string> {
    const changed = await this.data.createTree(repository, { base: parent, changes: tree.changes() });
    const commit = await this.data.createCommit(repository, by, {
      tree: changed,
      parents: [parent],
      message,
    });
    const ref = `refs/heads/${branch}`;
    if (repository.refs[ref] === undefined) await this.data.createReference(repository, ref, commit);
    else await this.data.updateReference(repository, ref, commit, false);
    return commit;
  }
}
