import type { Core } from './core.js';
import type { PullRequestEvent } from './events.js';
import type { Account, PullRequest, Repository, Review } from './model.js';
import { Refusal, found } from './refusal.js';

interface NewPullRequest {
  head: string;
  base: string;
  title: string;
  body: string | null;
  draft: boolean;
}

interface PullRequestEdit {
  title?: string | undefined;
  body?: string | null | undefined;
  base?: string | undefined;
  state?: 'open' | 'closed' | undefined;
}

/** Pull requests between branches of one repository, which follow their branches. */
export class PullRequests {
  constructor(readonly core: Core) {}

  /** @throws Refusal `NotFound`. */
  get(repository: Repository, number: number): PullRequest {
    return found(repository.pulls.find((pull) => pull.number === number));
  }

  /** @throws Refusal when a branch is missing, there is nothing to merge, or a pull request exists. */
  async create(repository: Repository, author: Account, wanted: NewPullRequest): Promise<PullRequest> {
    const { head, base, title, body, draft } = wanted;
    const headSha = branchOf(repository, head);
    const baseSha = branchOf(repository, base);
    if (baseSha === undefined) throw new Refusal({ code: 'BaseMissing' });
    if (headSha === undefined) throw new Refusal({ code: 'HeadMissing' });
    this.#refuseSecond(repository, head, base);
    const git = this.core.git(repository);
    const start = await git.mergeBase(baseSha, headSha);
    if (start === undefined) throw new Refusal({ code: 'NoCommonHistory', base, head });
    if (start === headSha) throw new Refusal({ code: 'NoCommits', base, head });
    const at = this.core.now();
    const pull: PullRequest = {
      id: this.core.nextId(),
      number: ++repository.lastNumber,
      authorId: author.id,
      title,
      body,
      draft,
      state: 'open',
      head: { ref: head, sha: headSha },
      base: { ref: base, sha: baseSha },
      labels: [],
      reviewerIds: [],
      createdAt: at,
      updatedAt: at,
    };
    repository.pulls.push(pull);
    await git.writePullRef(pull.number, 'head', headSha);
    this.announce(repository, author, { action: 'opened', pull });
    return pull;
  }

  /** @throws Refusal when the base does not exist or the pull request cannot be opened again. */
  async edit(
    repository: Repository,
    sender: Account,
    pull: PullRequest,
    edit: PullRequestEdit,
  ): Promise<void> {
    const changes: PullRequestEvent['changes'] = {};
    const { title, body, base, state } = edit;
    if (base !== undefined && base !== pull.base.ref) {
      const sha = branchOf(repository, base);
      if (sha === undefined) throw new Refusal({ code: 'BaseMissing' });
      this.#refuseSecond(repository, pull.head.ref, base);
      if (await this.core.git(repository).isAncestor(pull.head.sha, sha)) {
        throw new Refusal({ code: 'NoCommits', base, head: pull.head.ref });
      }
      changes.base = { ref: { from: pull.base.ref } };
      pull.base = { ref: base, sha };
    }
    if (title !== undefined && title !== pull.title) {
      changes.title = { from: pull.title };
      pull.title = title;
    }
    if (body !== undefined && body !== pull.body) {
      changes.body = { from: pull.body };
      pull.body = body;
    }
    if (Object.keys(changes).length > 0) {
      this.touch(pull);
      this.announce(repository, sender, { action: 'edited', pull, changes });
    }
    if (state === 'closed' && pull.state === 'open') this.close(repository, sender, pull);
    if (state === 'open' && pull.state === 'closed') await this.#reopen(repository, sender, pull);
  }

  close(repository: Repository, sender: Account, pull: PullRequest): void {
    pull.state = 'closed';
    pull.closedAt = this.touch(pull);
    pull.closedById = sender.id;
    this.announce(repository, sender, { action: 'closed', pull });
  }

  requestReview(
    repository: Repository,
    sender: Account,
    pull: PullRequest,
    reviewers: readonly Account[],
  ): void {
    for (const { id } of reviewers) {
      if (pull.reviewerIds.includes(id)) continue;
      pull.reviewerIds.push(id);
      this.touch(pull);
      this.announce(repository, sender, { action: 'review_requested', pull });
    }
  }

  /** Records a review, and removes the reviewer from the requested reviewers. */
  review(
    repository: Repository,
    pull: PullRequest,
    author: Account,
    given: Pick<Review, 'state' | 'body'>,
  ): Review {
    const review = {
      ...given,
      id: this.core.nextId(),
      authorId: author.id,
      sha: pull.head.sha,
      submittedAt: this.touch(pull),
    };
    (pull.reviews ??= []).push(review);
    pull.reviewerIds = pull.reviewerIds.filter((id) => id !== author.id);
    this.core.publish({ type: 'review', repository, sender: author, pull, review });
    return review;
  }

  /** Replaces the requested reviewers. */
  setReviewers(
    repository: Repository,
    sender: Account,
    pull: PullRequest,
    reviewers: readonly Account[],
  ): void {
    pull.reviewerIds = pull.reviewerIds.filter((id) => reviewers.some((reviewer) => reviewer.id === id));
    this.requestReview(repository, sender, pull, reviewers);
  }

  /** Records that `sha` on the base branch, whose previous tip was `base`, is the merge of the pull request. */
  recordMerge(
    repository: Repository,
    sender: Account,
    pull: PullRequest,
    { sha, base }: { sha: string; base: string },
  ): void {
    pull.base.sha = base;
    pull.merge = { at: this.core.now(), byId: sender.id, sha };
    this.close(repository, sender, pull);
  }

  touch(pull: PullRequest): string {
    return (pull.updatedAt = this.core.now());
  }

  announce(repository: Repository, sender: Account, event: Omit<PullRequestEvent, 'type'>): void {
    this.core.publish({ type: 'pullRequest', repository, sender, ...event });
  }

  /**
   * Updates the open pull requests of a branch. A new head is recorded. A pull request is closed when its head contains
   * no changes any more, or when a branch was deleted. It is merged when the base contains the head.
   */
  async branchMoved(
    repository: Repository,
    sender: Account,
    branch: string,
    move: { before: string | undefined; after: string | undefined },
  ): Promise<void> {
    for (const pull of repository.pulls) {
      if (pull.state !== 'open') continue;
      if (pull.head.ref === branch) await this.#headMoved(repository, sender, pull, move.after);
      else if (pull.base.ref === branch) await this.#baseMoved(repository, sender, pull, move);
    }
  }

  async #headMoved(
    repository: Repository,
    sender: Account,
    pull: PullRequest,
    after: string | undefined,
  ): Promise<void> {
    const before = pull.head.sha;
    if (after === undefined) return this.close(repository, sender, pull);
    if (after === before) return;
    const git = this.core.git(repository);
    const base = branchOf(repository, pull.base.ref);
    pull.head.sha = after;
    pull.base.sha = base ?? pull.base.sha;
    this.touch(pull);
    await git.writePullRef(pull.number, 'head', after);
    this.announce(repository, sender, { action: 'synchronize', pull, moved: { before, after } });
    if (base !== undefined && (await git.isAncestor(after, base))) this.close(repository, sender, pull);
  }

  async #baseMoved(
    repository: Repository,
    sender: Account,
    pull: PullRequest,
    { before, after }: { before: string | undefined; after: string | undefined },
  ): Promise<void> {
    if (after === undefined) return this.close(repository, sender, pull);
    const git = this.core.git(repository);
    const { sha: head } = pull.head;
    if (!(await git.isAncestor(head, after))) return;
    const path = ['--first-parent', '--ancestry-path', '--reverse', `${head}..${after}`];
    const [merge = head] = (await git.run(['rev-list', ...path])).split('\n').filter((line) => line !== '');
    this.recordMerge(repository, sender, pull, { sha: merge, base: before ?? pull.base.sha });
  }

  async #reopen(repository: Repository, sender: Account, pull: PullRequest): Promise<void> {
    const refuse = (why: string): never => {
      throw new Refusal({ code: 'CannotReopen', why });
    };
    if (pull.merge !== undefined) refuse('The pull request has been merged.');
    const head =
      branchOf(repository, pull.head.ref) ?? refuse(`The ${pull.head.ref} branch has been deleted.`);
    const base =
      branchOf(repository, pull.base.ref) ?? refuse(`The ${pull.base.ref} branch has been deleted.`);
    if (this.#open(repository, pull.head.ref, pull.base.ref) !== undefined) {
      refuse(`There is already an open pull request from ${pull.head.ref} to ${pull.base.ref}.`);
    }
    const git = this.core.git(repository);
    if (await git.isAncestor(head, base)) refuse('There are no new commits on the branch.');
    pull.state = 'open';
    pull.head.sha = head;
    delete pull.closedAt;
    delete pull.closedById;
    this.touch(pull);
    await git.writePullRef(pull.number, 'head', head);
    this.announce(repository, sender, { action: 'reopened', pull });
  }

  #open(repository: Repository, head: string, base: string): PullRequest | undefined {
    return repository.pulls.find(
      (pull) => pull.state === 'open' && pull.head.ref === head && pull.base.ref === base,
    );
  }

  #refuseSecond(repository: Repository, head: string, base: string): void {
    if (this.#open(repository, head, base) === undefined) return;
    const owner = this.core.owner(repository).login;
    throw new Refusal({ code: 'PullRequestExists', owner, head });
  }
}

/** Returns the commit at the tip of a branch when the references were last read. */
export function branchOf(repository: Repository, branch: string): string | undefined {
  return repository.refs[`refs/heads/${branch}`];
}
