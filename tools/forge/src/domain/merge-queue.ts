import type { Core } from './core.js';
import type { Merging, MergeCall } from './merging.js';
import type { Account, PullRequest, Repository } from './model.js';
import { branchOf } from './pulls.js';
import { Refusal } from './refusal.js';
import type { RequiredChecks } from './required-checks.js';

/** The merge queues of branches (GitHub) and the merge trains of projects (GitLab): pull requests are merged in turn. */
export class MergeQueue {
  constructor(
    readonly core: Core,
    readonly merging: Merging,
    readonly checks: RequiredChecks,
  ) {}

  /** Returns the position of a pull request in its queue, counted from 1, or 0 if it is not in a queue. */
  position(repository: Repository, pull: PullRequest): number {
    return this.#waiting(repository, pull.base.ref).indexOf(pull) + 1;
  }

  /**
   * Adds a pull request to the end of the queue of its base.
   *
   * @param head the required head; undefined for any head
   * @throws Refusal `NotMergeable`, `HeadMoved`, `Queued`, or the refusal of a required check.
   */
  async enter(
    repository: Repository,
    sender: Account,
    pull: PullRequest,
    { head, method }: { head: string | undefined; method: MergeCall['method'] },
  ): Promise<void> {
    const base = branchOf(repository, pull.base.ref);
    if (pull.state !== 'open' || base === undefined) throw new Refusal({ code: 'NotMergeable' });
    if (pull.draft) throw new Refusal({ code: 'Draft' });
    if (head !== undefined && head !== pull.head.sha) throw new Refusal({ code: 'HeadMoved' });
    if (this.position(repository, pull) > 0) throw new Refusal({ code: 'Queued' });
    await this.checks.require(repository, pull, base);
    const last = Math.max(0, ...repository.pulls.map(({ queued }) => queued?.order ?? 0));
    pull.queued = { order: last + 1, byId: sender.id, sha: pull.head.sha, method };
  }

  /** Removes a pull request from its queue, as happens when the checks of its group fail. */
  leave(pull: PullRequest): void {
    delete pull.queued;
  }

  /** Merges the first pull request of a queue. Returns its number, or undefined if the queue is empty. */
  async advance(repository: Repository, branch: string): Promise<number | undefined> {
    const [pull] = this.#waiting(repository, branch);
    if (pull?.queued === undefined) return undefined;
    const { byId, sha, method } = pull.queued;
    this.leave(pull);
    await this.merging.merge(repository, this.core.account(byId), pull, { method, sha, fromQueue: true });
    return pull.number;
  }

  /** Returns the pull requests in a queue, in order. A push to the head removes a pull request from the queue. */
  #waiting({ pulls }: Repository, branch: string): PullRequest[] {
    return pulls
      .filter(({ state, base, queued, head }) => {
        return state === 'open' && base.ref === branch && queued?.sha === head.sha;
      })
      .sort((a, b) => (a.queued?.order ?? 0) - (b.queued?.order ?? 0));
  }
}
