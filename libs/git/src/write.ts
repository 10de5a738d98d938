import { checkRef, TypedError } from '@interlock/api';
import type { Ancestry } from './ancestry.js';
import { checkObjectId, pathParts } from './names.js';
import type { Identity } from './objects/commit.js';
import type { Memory } from './objects/memory.js';
import type { MergeResult } from './objects/merge-result.js';
import type { Objects } from './objects/objects.js';
import { isTree, spliceTree } from './objects/tree.js';
import type { Sync } from './remote/sync.js';
import type { Repository } from './repository.js';

export interface NewCommit {
  tree: string;
  parents: readonly string[];
  message: string;
  author: Identity;
  /** Default: the author. */
  committer?: Identity;
}

export interface Push {
  ref: string;
  sha: string;
  /** The required current commit of the remote's reference; `null` if it must not exist. */
  expected: string | null;
  /** Whether a commit that does not descend from `expected` is allowed. Default: false. */
  force?: boolean;
}

/** Creates objects in the mirror, without a work tree, and pushes them. */
export class Writer {
  readonly #repository: Repository;
  readonly #sync: Sync;
  readonly #objects: Objects;
  readonly #ancestry: Ancestry;
  readonly #memory: Memory;

  constructor(repository: Repository, sync: Sync, objects: Objects, ancestry: Ancestry, memory: Memory) {
    this.#repository = repository;
    this.#sync = sync;
    this.#objects = objects;
    this.#ancestry = ancestry;
    this.#memory = memory;
  }

  async mergeTree(ours: string, theirs: string, signal?: AbortSignal): Promise<MergeResult> {
    const key = `${this.#objects.key(checkObjectId(ours))}/${checkObjectId(theirs)}/${this.#repository.generation}`;
    const known = this.#memory.merges.get(key);
    if (known) return known;
    await Promise.all([this.#objects.commit(ours, signal), this.#objects.commit(theirs, signal)]);
    const base = await this.#ancestry.baseWithoutMerges(ours, theirs, signal);
    const unchanged = base === undefined ? undefined : await this.#mergeUnchanged(base, ours, theirs, signal);
    const result = unchanged ?? (await this.#mergeByGit(ours, theirs, base !== undefined, signal));
    this.#memory.merges.set(key, result);
    return result;
  }

  /** Returns the merge result if `ours` has not changed since the base: the tree of `theirs`, without conflicts. */
  async #mergeUnchanged(
    base: string,
    ours: string,
    theirs: string,
    signal: AbortSignal | undefined,
  ): Promise<MergeResult | undefined> {
    const [before, our, their] = await Promise.all(
      [base, ours, theirs].map((sha) => this.#objects.commit(sha, signal)),
    );
    if (before === undefined || before.tree !== our?.tree || their === undefined) return undefined;
    return { clean: true, related: true, tree: their.tree, conflicts: [] };
  }

  /** @param areRelated whether they are known to have a common ancestor */
  async #mergeByGit(
    ours: string,
    theirs: string,
    areRelated: boolean,
    signal: AbortSignal | undefined,
  ): Promise<MergeResult> {
    const options = ['--write-tree', '--allow-unrelated-histories', '--no-messages', '--name-only', '-z'];
    const merge = () =>
      this.#repository.git({
        args: ['merge-tree', ...options, ours, theirs],
        remote: true,
        timeout: 'fetch',
        accept: [0, 1],
        signal,
      });
    const findBase = () =>
      this.#repository.git({ args: ['merge-base', ours, theirs], accept: [0, 1], signal });
    const [{ stdout, code }, base] = await Promise.all([
      this.#sync.withCommits([ours, theirs], merge, signal),
      areRelated ? undefined : this.#sync.withCommits([ours, theirs], findBase, signal),
    ]);
    const [tree = '', ...rest] = stdout.toString('utf8').split('\0');
    return {
      clean: code === 0,
      related: areRelated || base?.code === 0,
      tree: checkObjectId(tree),
      conflicts: rest.filter((path) => path !== ''),
    };
  }

  async commitTree(commit: NewCommit, signal?: AbortSignal): Promise<string> {
    const { author, committer = author } = commit;
    const parents = commit.parents.flatMap((parent) => ['-p', checkObjectId(parent)]);
    const command = {
      args: ['commit-tree', checkObjectId(commit.tree), ...parents, '-F', '-'],
      input: commit.message,
      env: { ...identityEnvironment('AUTHOR', author), ...identityEnvironment('COMMITTER', committer) },
      signal,
    } as const;
    const { stdout } = await this.#sync.withCommits(
      commit.parents,
      () => this.#repository.git(command),
      signal,
    );
    return checkObjectId(stdout.toString('latin1').trim());
  }

  async graft(base: string, path: string, subtree: string, signal?: AbortSignal): Promise<string> {
    return this.#repository.use(
      () => this.#graftParts(checkObjectId(base), pathParts(path), checkObjectId(subtree), signal),
      signal,
    );
  }

  async push(
    { ref, sha, expected, force = false }: Push,
    descends: boolean,
    signal?: AbortSignal,
  ): Promise<void> {
    if (expected !== null && !force && !descends) {
      throw new TypedError('Conflict', `${sha} does not descend from ${expected}; ${ref} is not rewritten`, {
        reason: 'NotFastForward',
      });
    }
    if (this.#repository.readOnly) {
      const message = `dry run of ${this.#repository.remote.url}: would move ${ref} from ${expected ?? 'nothing'} to ${sha}`;
      throw new TypedError('Permanent', message, { reason: 'DryRun' });
    }
    await this.#repository.git({
      args: [
        'push',
        '--porcelain',
        `--force-with-lease=${checkRef(ref)}:${expected ?? ''}`,
        'origin',
        `${checkObjectId(sha)}:${ref}`,
      ],
      remote: true,
      timeout: 'push',
      signal,
    });
  }

  async #graftParts(
    base: string | undefined,
    parts: readonly string[],
    subtree: string,
    signal?: AbortSignal,
  ): Promise<string> {
    const [name, ...rest] = parts;
    if (name === undefined) return subtree;
    const below = base === undefined ? undefined : await this.#objects.entry(base, name, signal);
    const child = await this.#graftParts(isTree(below) ? below.sha : undefined, rest, subtree, signal);
    const content = base === undefined ? Buffer.alloc(0) : await this.#objects.treeContent(base, signal);
    const { stdout } = await this.#repository.git({
      args: ['hash-object', '-t', 'tree', '-w', '--stdin'],
      input: spliceTree(base ?? '', content, name, child),
      signal,
    });
    return checkObjectId(stdout.toString('latin1').trim());
  }
}

function identityEnvironment(
  role: 'AUTHOR' | 'COMMITTER',
  { name, email, date }: Identity,
): Record<string, string> {
  const seconds = Math.floor(Date.parse(date) / 1000);
  if (name.trim() === '' || /[<>\n\0]/.test(name) || /[<>\s\0]/.test(email) || Number.isNaN(seconds)) {
    throw new TypedError(
      'Invalid',
      `${JSON.stringify(`${name} <${email}> ${date}`)} is not a name, an e-mail address and an RFC 3339 date`,
      {
        reason: 'IdentityInvalid',
      },
    );
  }
  return {
    [`GIT_${role}_NAME`]: name,
    [`GIT_${role}_EMAIL`]: email,
    [`GIT_${role}_DATE`]: `@${seconds} +0000`,
  };
}
