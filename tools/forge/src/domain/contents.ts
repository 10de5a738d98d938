import type { Signature } from '../git/commit.js';
import { listTree, type TreeEntry } from '../git/tree.js';
import type { Core } from './core.js';
import type { GitData } from './git-data.js';
import type { Account, Repository } from './model.js';
import { Refusal } from './refusal.js';

interface ContentChange {
  branch: string;
  path: string;
  /** If it is absent, the file is deleted. */
  content?: Buffer;
  /** The blob that is replaced or deleted. */
  sha?: string | undefined;
  message: string;
  author?: Partial<Signature> | undefined;
  committer?: Partial<Signature> | undefined;
}

/** Files of a repository, and commits that change one file. */
export class Contents {
  constructor(
    readonly core: Core,
    readonly data: GitData,
  ) {}

  /** Returns the entry at a path of a commit, or the entries of a folder, or undefined if the path does not exist. */
  async at(
    repository: Repository,
    commit: string,
    path: string,
  ): Promise<{ entry: TreeEntry } | { folder: TreeEntry[] } | undefined> {
    const git = this.core.git(repository);
    if (path === '') return { folder: await listTree(git, commit) };
    const [entry] = await listTree(git, commit, { path });
    if (entry === undefined) return undefined;
    return entry.type === 'tree' ? { folder: await this.#below(repository, entry) } : { entry };
  }

  /**
   * Commits one file to a branch.
   *
   * @returns the commit, and the blob if the file was not deleted. @throws Refusal when the branch does not exist, or
   * the file differs from the caller's version.
   */
  async change(
    repository: Repository,
    by: Account,
    change: ContentChange,
  ): Promise<{ commit: string; blob?: string | undefined; created: boolean }> {
    const { branch, path, content, sha, message } = change;
    const ref = `refs/heads/${branch}`;
    const tip = repository.refs[ref];
    const empty = !Object.keys(repository.refs).some((name) => name.startsWith('refs/heads/'));
    if (tip === undefined && (!empty || content === undefined)) {
      throw new Refusal({ code: 'BranchMissing', branch });
    }
    const found = tip === undefined ? undefined : await this.at(repository, tip, path);
    const current = found !== undefined && 'entry' in found ? found.entry : undefined;
    if (content === undefined && current === undefined) throw new Refusal({ code: 'NotFound' });
    if (current !== undefined && sha === undefined) throw new Refusal({ code: 'ContentShaNeeded' });
    if (sha !== undefined && current?.sha !== sha) throw new Refusal({ code: 'ContentMoved', path, sha });

    const git = this.core.git(repository);
    const blob = content === undefined ? undefined : await git.createBlob(content);
    const mode = current?.mode ?? '100644';
    const tree = await this.data.createTree(repository, {
      base: tip,
      changes: [{ path, mode, sha: blob ?? null }],
    });
    const { author, committer } = change;
    const parents = tip === undefined ? [] : [tip];
    const commit = await this.data.createCommit(repository, by, {
      tree,
      parents,
      message,
      author,
      committer,
    });
    if (tip === undefined) await this.data.createReference(repository, ref, commit);
    else await this.data.updateReference(repository, ref, commit, false);
    return { commit, created: current === undefined, blob };
  }

  async #below(repository: Repository, { sha, path }: TreeEntry): Promise<TreeEntry[]> {
    const entries = await listTree(this.core.git(repository), sha);
    return entries.map((entry) => ({ ...entry, path: `${path}/${entry.path}` }));
  }
}
