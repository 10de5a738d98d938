import type { Memory } from './objects/memory.js';
import type { Objects } from './objects/objects.js';
import type { Sync } from './remote/sync.js';
import type { Repository } from './repository.js';

/* Maximum number of commits that are read before git is used. */
const maxNear = 16;

/** Determines the ancestry of commits of a mirror. Most queries concern neighbors, which need no process. */
export class Ancestry {
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

  /** Returns whether `ancestor` can be reached from `descendant` through parents; a commit is its own ancestor. */
  async isAncestor(ancestor: string, descendant: string, signal?: AbortSignal): Promise<boolean> {
    await Promise.all([this.#objects.commit(ancestor, signal), this.#objects.commit(descendant, signal)]);
    const near = await this.#isNear(ancestor, descendant, signal);
    if (near !== undefined) return near;
    const answer = await this.#askGit(ancestor, descendant, signal);
    this.#remember(ancestor, descendant, answer);
    return answer;
  }

  /**
   * Returns the only best common ancestor of two commits (git-merge-base(1)): the first commit on the line of `theirs`
   * that is part of `ours`. Undefined when the line has merges before that commit, when it is long, or when git would
   * be needed.
   */
  async baseWithoutMerges(ours: string, theirs: string, signal?: AbortSignal): Promise<string | undefined> {
    let sha = theirs;
    for (let step = 0; step < maxNear; step++) {
      const isPart = await this.#isNear(sha, ours, signal);
      if (isPart === undefined) return undefined;
      if (isPart) return sha;
      const { parents } = await this.#objects.commit(sha, signal);
      const [parent] = parents;
      if (parent === undefined || parents.length > 1) return undefined;
      sha = parent;
    }
    return undefined;
  }

  /** Determines the ancestry without a process; undefined when that takes too long. */
  async #isNear(
    ancestor: string,
    descendant: string,
    signal: AbortSignal | undefined,
  ): Promise<boolean | undefined> {
    if (ancestor === descendant) return true;
    const known = this.#memory.ancestry.get(this.#key(ancestor, descendant));
    if (known !== undefined) return known;
    const answer =
      (await this.#walk(ancestor, descendant, signal)) ??
      (await this.#isFromLater(ancestor, descendant, signal));
    if (answer !== undefined) this.#remember(ancestor, descendant, answer);
    return answer;
  }

  async #walk(
    ancestor: string,
    descendant: string,
    signal: AbortSignal | undefined,
  ): Promise<boolean | undefined> {
    const seen = new Set([descendant]);
    for (const sha of seen) {
      if (seen.size > maxNear) return undefined;
      const { parents } = await this.#objects.commit(sha, signal);
      if (parents.includes(ancestor)) return true;
      parents.forEach((parent) => seen.add(parent));
    }
    return false;
  }

  /**
   * Decides by the order of arrival: a new commit is not part of the history of commits that arrived earlier. Undefined if
   * that does not decide.
   */
  async #isFromLater(
    ancestor: string,
    descendant: string,
    signal: AbortSignal | undefined,
  ): Promise<false | undefined> {
    const later = new Set([descendant]);
    for (const sha of later) {
      if (sha === ancestor || later.size > maxNear) return undefined;
      if (this.#sync.cameBefore(sha, ancestor)) continue;
      const { parents } = await this.#objects.commit(sha, signal);
      parents.forEach((parent) => later.add(parent));
    }
    return false;
  }

  async #askGit(ancestor: string, descendant: string, signal: AbortSignal | undefined): Promise<boolean> {
    const args = ['merge-base', '--is-ancestor', ancestor, descendant] as const;
    const ask = () => this.#repository.git({ args, accept: [0, 1], signal });
    const { code } = await this.#sync.withCommits([ancestor, descendant], ask, signal);
    return code === 0;
  }

  #key(ancestor: string, descendant: string): string {
    return `${this.#objects.key(ancestor)}/${descendant}`;
  }

  #remember(ancestor: string, descendant: string, answer: boolean): void {
    this.#memory.ancestry.set(this.#key(ancestor, descendant), answer);
  }
}
