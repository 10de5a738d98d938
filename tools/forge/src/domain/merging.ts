import type { Commit, Signature } from '../git/commit.js';
import { rebase } from '../git/rebase.js';
import type { Core } from './core.js';
import type { Account, MergeMethod, PullRequest, Repository } from './model.js';
import { branchOf, type PullRequests } from './pulls.js';
import { Refusal } from './refusal.js';
import type { RequiredChecks } from './required-checks.js';

export interface MergeCall {
  method: MergeMethod;
  /** The required head. */
  sha?: string | undefined;
  /** The committer of the merge; default: the forge itself, as at GitHub. */
  committer?: Account | undefined;
  title?: string | undefined;
  message?: string | undefined;
  /** Whether the pull request is the first of the merge queue. */
  fromQueue?: boolean;
}

/** The committer of all commits that the forge creates for users, as on GitHub. */
const forge = { name: 'GitHub', email: 'noreply@github.com' };

/**
 * Trial merges of pull requests, merges of pull requests, and merges of two branches. All are git merges in the object
 * database.
 */
export class Merging {
  constructor(
    readonly core: Core,
    readonly pulls: PullRequests,
    readonly checks: RequiredChecks,
  ) {}

  /** Returns the commit of the trial merge, kept as `refs/pull/<n>/merge`, or null when the branches conflict. */
  async trial(repository: Repository, pull: PullRequest): Promise<string | null> {
    const base = branchOf(repository, pull.base.ref) ?? pull.base.sha;
    const head = pull.head.sha;
    if (pull.trial?.base === base && pull.trial.head === head) return pull.trial.sha;
    const git = this.core.git(repository);
    const tree = await git.mergeTrees(base, head);
    let sha: string | null = null;
    if (tree === undefined) {
      await git.run(['update-ref', '-d', `refs/pull/${pull.number}/merge`]);
    } else {
      const by = this.#signature(forge);
      const message = `Merge ${head} into ${base}`;
      sha = await git.createCommit({ tree, parents: [base, head], author: by, committer: by, message });
      await git.writePullRef(pull.number, 'merge', sha);
    }
    pull.trial = { base, head, sha };
    return sha;
  }

  /**
   * Merges a pull request. The caller must have exclusive access to the repository. The merge fails if a push precedes
   * it nevertheless.
   *
   * @returns the new tip of the base branch. @throws Refusal when GitHub would respond with 405 or 409.
   */
  async merge(repository: Repository, sender: Account, pull: PullRequest, call: MergeCall): Promise<string> {
    const base = branchOf(repository, pull.base.ref);
    if (pull.state !== 'open' || base === undefined) throw new Refusal({ code: 'NotMergeable' });
    if (pull.draft) throw new Refusal({ code: 'Draft' });
    if (call.sha !== undefined && call.sha !== pull.head.sha) throw new Refusal({ code: 'HeadMoved' });
    if (repository.protections[pull.base.ref]?.mergeQueue === true && call.fromQueue !== true) {
      throw new Refusal({ code: 'QueueRequired' });
    }
    if (!repository.mergeMethods.includes(call.method)) {
      throw new Refusal({ code: 'MethodNotAllowed', method: call.method });
    }
    await this.checks.require(repository, pull, base);
    const tip = await this.#build(repository, sender, pull, call, base);
    if (tip === undefined) throw new Refusal({ code: 'NotMergeable' });
    const git = this.core.git(repository);
    if (!(await git.updateRef(`refs/heads/${pull.base.ref}`, tip, base))) {
      throw new Refusal({ code: 'BaseMoved' });
    }
    this.pulls.recordMerge(repository, sender, pull, { sha: tip, base });
    if (repository.deleteBranchOnMerge) {
      await git.updateRef(`refs/heads/${pull.head.ref}`, undefined, pull.head.sha);
    }
    return tip;
  }

  /**
   * Merges a commit into a branch (REST API, "Merge a branch").
   *
   * @returns the merge commit, or undefined when the branch already contains the commit.
   * @throws Refusal `MergeConflict`, `BaseMoved`, `NotFound`.
   */
  async mergeBranch(
    repository: Repository,
    sender: Account,
    wanted: { base: string; head: string; message?: string | undefined },
  ): Promise<string | undefined> {
    const git = this.core.git(repository);
    const base = branchOf(repository, wanted.base);
    const head = branchOf(repository, wanted.head) ?? (await git.resolve(wanted.head));
    if (base === undefined) throw new Refusal({ code: 'BaseMissing' });
    if (head === undefined) throw new Refusal({ code: 'HeadMissing' });
    if (await git.isAncestor(head, base)) return undefined;
    const tree = await git.mergeTrees(base, head);
    if (tree === undefined) throw new Refusal({ code: 'MergeConflict' });
    const author = this.#signature(sender);
    const message = wanted.message ?? `Merge ${wanted.head} into ${wanted.base}`;
    const committer = this.#signature(forge);
    const sha = await git.createCommit({ tree, parents: [base, head], author, committer, message });
    if (await git.updateRef(`refs/heads/${wanted.base}`, sha, base)) return sha;
    throw new Refusal({ code: 'BaseMoved' });
  }

  /** Returns the new tip, to which no reference points yet, or undefined when the branches conflict. */
  async #build(
    repository: Repository,
    sender: Account,
    pull: PullRequest,
    call: MergeCall,
    base: string,
  ): Promise<string | undefined> {
    const git = this.core.git(repository);
    const head = pull.head.sha;
    if (call.method === 'rebase') return rebase(git, { base, head, committer: this.#signature(sender) });
    const tree = await git.mergeTrees(base, head);
    if (tree === undefined) return undefined;
    const squash = call.method === 'squash';
    const text = squash
      ? squashText(pull, (await git.between(base, head)).filter(isPlainCommit))
      : mergeText(pull, this.core.owner(repository).login);
    const author = this.#signature(squash ? this.core.account(pull.authorId) : sender);
    return git.createCommit({
      tree,
      parents: squash ? [base] : [base, head],
      author,
      committer: this.#signature(call.committer ?? forge),
      message: joined(call.title ?? text.title, call.message ?? text.message),
    });
  }

  #signature({ name, email }: { name: string; email: string }): Signature {
    return { name, email, date: this.core.now() };
  }
}

function isPlainCommit({ parents }: Commit): boolean {
  return parents.length <= 1;
}

interface Text {
  title: string;
  message: string;
}

function mergeText({ number, head, title }: PullRequest, owner: string): Text {
  return { title: `Merge pull request #${number} from ${owner}/${head.ref}`, message: title };
}

/**
 * Returns the message of a squashed commit. A single commit keeps its message. For several commits, the message is the
 * title of the pull request and a list.
 */
function squashText({ number, title }: PullRequest, commits: readonly Commit[]): Text {
  const [only] = commits;
  if (only !== undefined && commits.length === 1) {
    const [subject = '', ...body] = only.message.split('\n');
    return { title: `${subject} (#${number})`, message: body.join('\n').trim() };
  }
  return {
    title: `${title} (#${number})`,
    message: commits.map((commit) => `* ${commit.message}`).join('\n\n'),
  };
}

function joined(title: string, message: string): string {
  return message === '' ? title : `${title}\n\n${message}`;
}
