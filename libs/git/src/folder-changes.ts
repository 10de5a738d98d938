import type { Commit } from './objects/commit.js';
import type { Memory } from './objects/memory.js';
import type { Objects } from './objects/objects.js';
import type { Sync } from './remote/sync.js';
import type { Repository } from './repository.js';

/* Maximum number of commits that are read before git is used. */
const maxNear = 16;

/**
 * Finds the commits that changed a folder. A new commit differs from one with a known result by few commits, which need no
 * process; otherwise, each commit of a branch would cost a process for each of its folders.
 */
export class FolderChanges {
  readonly #repository: Repository;
  readonly #sync: Sync;
  readonly #objects: Objects;
  readonly #memory: Memory;

  constructor(repository: Repository, sync: Sync, objects: Objects, memory: Memory) {
    this.#repository = repository;
    this.#sync = sync;
    this.#objects = objects;
    this.#memory = memory;
  }

  /**
   * Returns the ids of the newest commits, among this commit and its first parents, that changed a folder compared with
   * their first parent; newest first, at most `limit`.
   */
  async of(sha: string, folder: string, limit: number, signal?: AbortSignal): Promise<string[]> {
    await this.#objects.commit(sha, signal);
    /* Git also reads ancestors that are too large or malformed for this. */
    const near = await this.#walk(sha, folder, limit, signal).catch(() => undefined);
    const ids = near ?? (await this.#askGit(sha, folder, limit, signal));
    this.#memory.changes.set(this.#key(sha, folder, limit), ids);
    return [...ids];
  }

  /** Determines the commits without a process; undefined when that takes too long. */
  async #walk(
    sha: string,
    folder: string,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<string[] | undefined> {
    const ids: string[] = [];
    let commit = await this.#objects.commit(sha, signal);
    let entry: string | undefined;
    for (let step = 0; step < maxNear; step++) {
      const known = this.#memory.changes.get(this.#key(commit.sha, folder, limit));
      if (known !== undefined) return [...ids, ...known].slice(0, limit);
      entry ??= await this.#entryOf(commit, folder, signal);
      const [parentSHA] = commit.parents;
      const parent = parentSHA === undefined ? undefined : await this.#objects.commit(parentSHA, signal);
      const before = parent && (await this.#entryOf(parent, folder, signal));
      if (entry !== before) ids.push(commit.sha);
      if (parent === undefined || ids.length === limit) return ids;
      [commit, entry] = [parent, before];
    }
    return undefined;
  }

  async #entryOf(
    { tree }: Commit,
    folder: string,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const entry = await this.#objects.entryAt(tree, folder, signal);
    /* A file may only have become executable, or a symbolic link with its content. */
    return entry && `${entry.mode} ${entry.sha}`;
  }

  async #askGit(
    sha: string,
    folder: string,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<string[]> {
    const walk = ['rev-list', '--first-parent', `--max-count=${limit}`, sha] as const;
    const args = [...walk, '--', `:(literal,top)${folder}`] as const;
    const ask = () => this.#repository.git({ args, signal });
    const { stdout } = await this.#sync.withCommits([sha], ask, signal);
    return stdout.toString('latin1').split('\n').filter(Boolean);
  }

  #key(sha: string, folder: string, limit: number): string {
    return `${this.#objects.key(sha)}/${limit}/${folder}`;
  }
}
