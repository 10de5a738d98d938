import type { Signature } from '../git/commit.js';
import type { BareRepository } from '../git/bare-repository.js';
import { changeTree, isTreePath, listTree, type TreeChange } from '../git/tree.js';
import type { Core } from './core.js';
import type { Account, Repository } from './model.js';
import { Refusal } from './refusal.js';

interface TreeRequest {
  /** A tree or a commit. */
  base?: string | undefined;
  changes: readonly (Omit<TreeChange, 'sha'> & { sha?: string | null; content?: string })[];
}

interface CommitRequest {
  tree: string;
  parents: readonly string[];
  message: string;
  author?: Partial<Signature> | undefined;
  committer?: Partial<Signature> | undefined;
}

/** The Git database of a repository, object by object and reference by reference. */
export class GitData {
  constructor(
    readonly core: Core,
    /** Folder for temporary files. */
    readonly temporary: string,
  ) {}

  /** @throws Refusal when the reference exists, its name is invalid, or the object is missing. */
  async createReference(repository: Repository, ref: string, sha: string): Promise<void> {
    await this.#checkName(repository, ref);
    await this.#checkObject(repository, sha, ref);
    const names = Object.keys(repository.refs);
    if (names.some((name) => name.startsWith(`${ref}/`) || ref.startsWith(`${name}/`))) {
      throw new Refusal({ code: 'ReferenceInTheWay' });
    }
    if (repository.refs[ref] !== undefined || !(await this.#move(repository, ref, sha, undefined))) {
      throw new Refusal({ code: 'ReferenceExists' });
    }
  }

  /** @param force whether commits may be discarded. @throws Refusal */
  async updateReference(repository: Repository, ref: string, sha: string, force: boolean): Promise<void> {
    const before = this.#existing(repository, ref);
    await this.#checkObject(repository, sha, ref);
    const git = this.core.git(repository);
    if (!force && !(await git.isAncestor(before, sha))) throw new Refusal({ code: 'NotFastForward' });
    if (!(await this.#move(repository, ref, sha, before))) throw new Refusal({ code: 'NotFastForward' });
  }

  /** @throws Refusal */
  async deleteReference(repository: Repository, ref: string): Promise<void> {
    const before = this.#existing(repository, ref);
    if (!(await this.#move(repository, ref, undefined, before))) {
      throw new Refusal({ code: 'ReferenceMissing' });
    }
  }

  /** Returns the id of the new tree. @throws Refusal `TreeInvalid`. */
  async createTree(repository: Repository, { base, changes }: TreeRequest): Promise<string> {
    const git = this.core.git(repository);
    const complete: TreeChange[] = [];
    for (const { path, mode, sha, content } of changes) {
      if (!isTreePath(path)) {
        throw new Refusal({ code: 'TreeInvalid', why: 'tree.path contains a malformed path component' });
      }
      if ((sha === undefined) === (content === undefined)) {
        const why =
          'Must supply either tree.sha or tree.content. Request will be rejected if both are present.';
        throw new Refusal({ code: 'TreeInvalid', why });
      }
      const object = content === undefined ? (sha ?? null) : await git.createBlob(Buffer.from(content));
      complete.push({ path, mode, sha: object });
    }
    // The commit of a submodule is in another repository.
    const needed = complete.flatMap(({ mode, sha }) => (sha === null || mode === '160000' ? [] : [sha]));
    const [missing] = await git.missing(needed);
    if (missing !== undefined) {
      throw new Refusal({ code: 'TreeInvalid', why: `tree.sha ${missing} is not a valid object` });
    }
    const tree = base === undefined ? undefined : await git.resolve(base, 'tree');
    if (base !== undefined && tree === undefined) {
      throw new Refusal({ code: 'TreeInvalid', why: 'base_tree is not a valid tree oid' });
    }
    await this.#requireDeleted(git, tree, complete);
    return changeTree(git, this.temporary, { base: tree, changes: complete });
  }

  /** @throws Refusal when an entry to delete does not exist. */
  async #requireDeleted(
    git: BareRepository,
    tree: string | undefined,
    changes: readonly TreeChange[],
  ): Promise<void> {
    for (const { path, sha } of changes) {
      const there = tree !== undefined && (sha !== null || (await listTree(git, tree, { path })).length > 0);
      if (sha === null && !there) throw new Refusal({ code: 'TreeInvalid', why: 'GitRPC::BadObjectState' });
    }
  }

  /** Returns the id of the new commit. @throws Refusal `TreeInvalid`. */
  async createCommit(repository: Repository, by: Account, wanted: CommitRequest): Promise<string> {
    const git = this.core.git(repository);
    const { tree, parents, message } = wanted;
    if ((await git.resolve(tree, 'tree')) !== tree) {
      throw new Refusal({ code: 'TreeInvalid', why: 'Tree SHA does not exist' });
    }
    for (const parent of parents) {
      if ((await git.resolve(parent)) !== parent) {
        const why = 'Parent SHA does not exist or is not a commit object';
        throw new Refusal({ code: 'TreeInvalid', why });
      }
    }
    const own = { name: by.name, email: by.email, date: this.core.now() };
    const author = { ...own, ...wanted.author };
    const committer = { ...author, ...wanted.committer };
    return git.createCommit({ tree, parents, message, author, committer });
  }

  #move(repository: Repository, ref: string, to: string | undefined, from: string | undefined) {
    const branch = ref.replace(/^refs\/heads\//, '');
    if (repository.protections[branch]?.blockPushes === true && branch !== ref) {
      throw new Refusal({ code: 'ProtectedBranch' });
    }
    return this.core.git(repository).updateRef(ref, to, from);
  }

  #existing(repository: Repository, ref: string): string {
    const sha = repository.refs[ref];
    if (sha === undefined || ref.startsWith('refs/pull/')) throw new Refusal({ code: 'ReferenceMissing' });
    return sha;
  }

  async #checkName(repository: Repository, ref: string): Promise<void> {
    const invalid = new Refusal({ code: 'ReferenceInvalid', ref });
    if (!/^refs\/[^/]+\/./.test(ref) || ref.startsWith('refs/pull/')) throw invalid;
    await this.core
      .git(repository)
      .run(['check-ref-format', ref])
      .catch(() => Promise.reject(invalid));
  }

  /**
   * Checks that a reference may refer to an object: a branch refers to a commit, and any other reference to any
   * object.
   */
  async #checkObject(repository: Repository, sha: string, ref: string): Promise<void> {
    const type = ref.startsWith('refs/heads/') ? 'commit' : 'object';
    if ((await this.core.git(repository).resolve(sha, type)) === sha) return;
    throw new Refusal({ code: 'ObjectMissing' });
  }
}
