import type { Core } from './core.js';
import type { GitData } from './git-data.js';
import type { Account, Repository } from './model.js';
import type { WorkingTree } from './working-tree.js';

/** Commits of any number of files, for APIs without tree objects. */
export class FileCommits {
  constructor(
    readonly core: Core,
    readonly data: GitData,
  ) {}

  /**
   * Creates a commit of `tree` with the parent `parent`, and updates `branch` to it.
   *
   * @returns the commit. @throws Refusal when the branch is protected, has an invalid name, or is not an ancestor of
   * `parent`.
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
