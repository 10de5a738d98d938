import { LRUCache } from 'lru-cache';
import { commitFormat, parseCommits, signatureEnvironment, type Commit, type Signature } from './commit.js';
import { parseDiff, withPatches, type FileChange } from './diff.js';
import { readRefs, writeOwnRef } from './refs.js';
import { GitError, git, gitText, type GitOptions } from './run.js';

export interface NewCommit {
  tree: string;
  parents: readonly string[];
  author: Signature;
  committer: Signature;
  message: string;
}

export const noCommit = '0'.repeat(40);
const diffOptions = ['-r', '-M', '--no-abbrev', '--no-color', '--no-ext-diff'];
const sha1 = /^[0-9a-f]{40}$/;

/** References and commits of one bare repository on disk, by git itself. What can never change is remembered. */
export class BareRepository {
  readonly #facts = new LRUCache<string, Promise<unknown>>({ max: 2_000 });

  constructor(readonly path: string) {}

  run(args: readonly string[], options?: GitOptions): Promise<string> {
    return gitText(this.path, args, options);
  }

  /** @returns all references with the object that each names. */
  refs(): Map<string, string> {
    return readRefs(this.path);
  }

  /** @returns the object that a revision names, or undefined. */
  async resolve(
    revision: string,
    type: 'commit' | 'tree' | 'object' = 'commit',
  ): Promise<string | undefined> {
    if (revision === '' || revision.startsWith('-') || /[\0\n]/.test(revision)) return undefined;
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{${type}}`];
    const { code, stdout } = await git(this.path, args, { allow: [1, 128] });
    const sha = stdout.toString('utf8').trim();
    return code === 0 && sha1.test(sha) ? sha : undefined;
  }

  /** @returns those of the ids for which there is no object. */
  async missing(ids: readonly string[]): Promise<string[]> {
    const input = ids.map((id) => `${id}\n`).join('');
    const output = await this.run(['cat-file', '--batch-check=%(objecttype)'], { input });
    const known = output.split('\n').map((line) => !line.endsWith(' missing'));
    return ids.filter((_, index) => known[index] !== true);
  }

  /** @param sha id of the commit. @throws GitError when the object is missing. */
  commit(sha: string): Promise<Commit> {
    return this.#fact(`commit ${sha}`, async () => {
      const [commit] = await this.log(['--no-walk', sha]);
      if (commit === undefined) throw new GitError(['log'], 128, `no commit ${sha}`);
      return commit;
    });
  }

  /** @returns the commits that `git log` gives for those arguments. */
  async log(args: readonly string[], paths: readonly string[] = []): Promise<Commit[]> {
    return parseCommits(await this.run(['log', `--format=${commitFormat}`, ...args, '--', ...paths]));
  }

  /** @param ancestor, descendant ids of commits. */
  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    if (ancestor === descendant || (await this.commit(descendant)).parents.includes(ancestor)) return true;
    return (await this.mergeBase(ancestor, descendant)) === ancestor;
  }

  /** @param a, b ids of commits. @returns undefined when they have no history in common. */
  mergeBase(a: string, b: string): Promise<string | undefined> {
    return this.#fact(`base ${a} ${b}`, async () => {
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
      const args = ['merge-tree', '--write-tree', '--no-messages', ours, theirs];
      const { code, stdout } = await git(this.path, args, { allow: [1] });
      return code === 0 ? stdout.toString('utf8').trim() : undefined;
    });
  }

  /** @returns how many commits only the second and only the first of two commits reach. */
  divergence(base: string, head: string): Promise<{ ahead: number; behind: number }> {
    return this.#fact(`divergence ${base} ${head}`, async () => {
      const output = await this.run(['rev-list', '--left-right', '--count', `${base}...${head}`]);
      const [behind, ahead] = output.split('\t').map(Number);
      return { ahead: ahead ?? 0, behind: behind ?? 0 };
    });
  }

  /** @returns the files that differ between two ids of trees or commits, without their hunks. */
  changes(from: string, to: string): Promise<FileChange[]> {
    return this.#fact(`changes ${from} ${to}`, async () => {
      const output = await this.run(['diff-tree', ...diffOptions, '--raw', '--numstat', '-z', from, to]);
      return parseDiff(output);
    });
  }

  /** @returns the files that differ, with their hunks. */
  async patches(from: string, to: string): Promise<FileChange[]> {
    const text = await this.run(['diff-tree', ...diffOptions, '-p', from, to]);
    return withPatches(await this.changes(from, to), text);
  }

  /** @returns the id of the new commit, which no reference names yet. */
  createCommit({ tree, parents, author, committer, message }: NewCommit): Promise<string> {
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])];
    return this.run(args, { input: `${message}\n`, env: signatureEnvironment(author, committer) });
  }

  /**
   * Moves a reference from one object to another.
   *
   * @param to undefined: delete it.
   * @param from undefined: it must not exist yet.
   * @returns false when the reference is not at `from` any more.
   */
  async updateRef(ref: string, to: string | undefined, from: string | undefined): Promise<boolean> {
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

  /** Points one of the references under `refs/pull/` at a commit; they are the forge's own, and pushes do not reach them. */
  writePullRef(number: number, part: 'head' | 'merge', sha: string): Promise<void> {
    return writeOwnRef(this.path, `refs/pull/${number}/${part}`, sha);
  }

  /** Finds out once, however many ask at the same time; what could not be found out is tried again. */
  #fact<T>(key: string, find: () => Promise<T>): Promise<T> {
    const known = this.#facts.get(key);
    if (known !== undefined) return known as Promise<T>;
    const fact = find();
    this.#facts.set(key, fact);
    fact.catch(() => this.#facts.delete(key));
    return fact;
  }
}
