import { LRUCache } from 'lru-cache';
import { commitFormat, parseCommits, signatureEnvironment, type Commit } from './commit.js';
import { commitObject, parseCommitObject, type NewCommit } from './commit-object.js';
import { parseDiff, withPatches, type FileChange } from './diff.js';
import { History, isLinear, type Known } from './history.js';
import { hasLooseObject, readLooseObject, writeLooseObject } from './loose-objects.js';
import { moveRef, readRefs, writeOwnRef } from './refs.js';
import { GitError, git, gitText, type GitOptions } from './run.js';

export const noCommit = '0'.repeat(40);
const diffOptions = ['-r', '-M', '--no-abbrev', '--no-color', '--no-ext-diff'];
const sha1 = /^[0-9a-f]{40}$/;

/**
 * References and commits of one bare repository on disk. Reads small loose objects and short histories itself, and uses
 * git for everything else. Caches immutable data.
 */
export class BareRepository {
  readonly #facts = new LRUCache<string, Promise<unknown>>({ max: 2_000 });
  readonly #history = new History((sha) => this.commit(sha).catch(unlessGitFails));

  constructor(readonly path: string) {}

  run(args: readonly string[], options?: GitOptions): Promise<string> {
    return gitText(this.path, args, options);
  }

  /** Returns all references with the object that each names. */
  refs(): Map<string, string> {
    return readRefs(this.path);
  }

  /** Returns the object that a revision names, or undefined. */
  async resolve(
    revision: string,
    type: 'commit' | 'tree' | 'object' = 'commit',
  ): Promise<string | undefined> {
    if (revision === '' || revision.startsWith('-') || /[\0\n]/.test(revision)) return undefined;
    const known = sha1.test(revision) ? this.#resolveId(revision, type) : undefined;
    if (known !== undefined) return known;
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{${type}}`];
    const { code, stdout } = await git(this.path, args, { allow: [1, 128] });
    const sha = stdout.toString('utf8').trim();
    return code === 0 && sha1.test(sha) ? sha : undefined;
  }

  /** Returns the ids for which no object exists. */
  async missing(ids: readonly string[]): Promise<string[]> {
    const packed = ids.filter((id) => !sha1.test(id) || !hasLooseObject(this.path, id));
    if (packed.length === 0) return [];
    const input = packed.map((id) => `${id}\n`).join('');
    const output = await this.run(['cat-file', '--batch-check=%(objecttype)'], { input });
    const known = output.split('\n').map((line) => !line.endsWith(' missing'));
    return packed.filter((_, index) => known[index] !== true);
  }

  /** @param sha id of the commit. @throws GitError when the object is missing. */
  commit(sha: string): Promise<Commit> {
    return this.#fact(`commit ${sha}`, async () => {
      const object = sha1.test(sha) ? readLooseObject(this.path, sha) : undefined;
      const read = object?.type === 'commit' ? parseCommitObject(sha, object.content) : undefined;
      if (read !== undefined) return read;
      const [commit] = await this.log(['--no-walk', sha]);
      if (commit === undefined) throw new GitError(['log'], 128, `no commit ${sha}`);
      return commit;
    });
  }

  /** Returns the commits that `git log` prints for these arguments. */
  async log(args: readonly string[], paths: readonly string[] = []): Promise<Commit[]> {
    return parseCommits(await this.run(['log', `--format=${commitFormat}`, ...args, '--', ...paths]));
  }

  /**
   * Returns the commits that are reachable from the second commit but not from the first one, oldest first, in the
   * order of `git log --reverse` or, if requested, of `git log --reverse --topo-order`.
   *
   * @param base, head ids of commits.
   * @param options.max maximum number of commits, of which the newest are returned.
   * @throws GitError when a commit is missing.
   */
  async between(
    base: string,
    head: string,
    { max, topological = false }: { max?: number; topological?: boolean } = {},
  ): Promise<Commit[]> {
    const known = await this.#history.between(base, head);
    if (known !== undefined && (!topological || isLinear(known.value))) {
      return known.value.slice(0, max).reverse();
    }
    const order = topological ? ['--topo-order'] : [];
    const limit = max === undefined ? [] : ['-n', String(max)];
    return this.log(['--reverse', ...order, ...limit, `${base}..${head}`]);
  }

  /** @param ancestor, descendant ids of commits. */
  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    if (ancestor === descendant || (await this.commit(descendant)).parents.includes(ancestor)) return true;
    return (await this.mergeBase(ancestor, descendant)) === ancestor;
  }

  /** Returns the merge base of two commits, or undefined when they have no history in common. */
  mergeBase(a: string, b: string): Promise<string | undefined> {
    return this.#fact(`base ${a} ${b}`, async () => {
      const known = await this.#history.mergeBase(a, b);
      if (known !== undefined) return known.value;
      const { code, stdout } = await git(this.path, ['merge-base', a, b], { allow: [1] });
      return code === 0 ? stdout.toString('utf8').trim() : undefined;
    });
  }

  /**
   * Merges two commits in the object database, with neither a work tree nor an index.
   *
   * @param ours, theirs ids of commits.
   * @returns the merged tree, or undefined when they conflict.
   */
  mergeTrees(ours: string, theirs: string): Promise<string | undefined> {
    return this.#fact(`merge ${ours} ${theirs}`, async () => {
      const known = await this.#mergeUnchanged(ours, theirs);
      if (known !== undefined) return known.value;
      const args = ['merge-tree', '--write-tree', '--no-messages', ours, theirs];
      const { code, stdout } = await git(this.path, args, { allow: [1] });
      return code === 0 ? stdout.toString('utf8').trim() : undefined;
    });
  }

  /** Returns the number of commits that are reachable only from the second, and only from the first of two commits. */
  divergence(base: string, head: string): Promise<{ ahead: number; behind: number }> {
    return this.#fact(`divergence ${base} ${head}`, async () => {
      const [ahead, behind] = [
        await this.#history.between(base, head),
        await this.#history.between(head, base),
      ];
      if (ahead && behind) return { ahead: ahead.value.length, behind: behind.value.length };
      const output = await this.run(['rev-list', '--left-right', '--count', `${base}...${head}`]);
      const [left, right] = output.split('\t').map(Number);
      return { ahead: right ?? 0, behind: left ?? 0 };
    });
  }

  /** Returns the files that differ between two ids of trees or commits, without their hunks. */
  changes(from: string, to: string): Promise<FileChange[]> {
    return this.#fact(`changes ${from} ${to}`, async () => {
      const output = await this.run(['diff-tree', ...diffOptions, '--raw', '--numstat', '-z', from, to]);
      return parseDiff(output);
    });
  }

  /** Returns the files that differ, with their hunks. */
  async patches(from: string, to: string): Promise<FileChange[]> {
    const text = await this.run(['diff-tree', ...diffOptions, '-p', from, to]);
    return withPatches(await this.changes(from, to), text);
  }

  /** Returns the id of the new commit, which no reference names yet. */
  async createCommit(commit: NewCommit): Promise<string> {
    const object = commitObject(commit);
    const id = object && writeLooseObject(this.path, 'commit', object);
    if (id !== undefined) return id;
    const { tree, parents, author, committer, message } = commit;
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])];
    return this.run(args, { input: `${message}\n`, env: signatureEnvironment(author, committer) });
  }

  /** Writes a blob if it does not exist yet. Returns its id. */
  async createBlob(content: Buffer): Promise<string> {
    const id = writeLooseObject(this.path, 'blob', content);
    return id ?? this.run(['hash-object', '-w', '--stdin'], { input: content });
  }

  /**
   * Updates a reference from one object to another.
   *
   * @param to undefined to delete the reference.
   * @param from undefined if the reference must not exist yet.
   * @returns false if the reference no longer points to `from`.
   */
  async updateRef(ref: string, to: string | undefined, from: string | undefined): Promise<boolean> {
    const moved = to && from && moveRef(this.path, ref, { to, from });
    if (typeof moved === 'boolean') return moved;
    const expected = from ?? noCommit;
    const args = to === undefined ? ['-d', ref, expected] : [ref, to, expected];
    try {
      await this.run(['update-ref', ...args]);
      return true;
    } catch (error) {
      if (error instanceof GitError && /cannot lock ref/.test(error.stderr)) return false;
      throw error;
    }
  }

  /** Updates a reference below `refs/pull/`, which only the forge can write. */
  writePullRef(number: number, part: 'head' | 'merge', sha: string): Promise<void> {
    return writeOwnRef(this.path, `refs/pull/${number}/${part}`, sha);
  }

  /** Returns the id of the object of that type to which an id resolves, or undefined if git has to resolve it. */
  #resolveId(id: string, type: 'commit' | 'tree' | 'object'): string | undefined {
    if (type === 'object') return hasLooseObject(this.path, id) ? id : undefined;
    const object = readLooseObject(this.path, id);
    if (object?.type === type) return id;
    if (object?.type !== 'commit') return undefined;
    return parseCommitObject(id, object.content)?.tree;
  }

  /** Merges two commits of which one has the tree of their common ancestor: the result is the tree of the other one. */
  async #mergeUnchanged(ours: string, theirs: string): Promise<Known<string> | undefined> {
    const base = (await this.#history.mergeBase(ours, theirs))?.value;
    if (base === undefined) return undefined;
    const commits = await Promise.all([base, ours, theirs].map((sha) => this.commit(sha)));
    const [before, left, right] = commits.map(({ tree }) => tree);
    if (left === undefined || right === undefined) return undefined;
    if (left === before) return { value: right };
    return right === before || left === right ? { value: left } : undefined;
  }

  /** Computes a value once for all concurrent callers. A failure is not cached. */
  #fact<T>(key: string, find: () => Promise<T>): Promise<T> {
    const known = this.#facts.get(key);
    if (known !== undefined) return known as Promise<T>;
    const fact = find();
    this.#facts.set(key, fact);
    fact.catch(() => this.#facts.delete(key));
    return fact;
  }
}

function unlessGitFails(error: unknown): undefined {
  if (!(error instanceof GitError)) throw error;
}
