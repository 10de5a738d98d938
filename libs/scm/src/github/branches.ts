import { isTyped } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import { contentsCall, type Call } from '../http/call.js';
import { branchExists, branchMissing, headMoved } from '../refusals.js';
import type { RepositoryClient } from './client.js';

/** Branches of a repository (REST API, "Git references"). */
export class GithubBranches {
  readonly #client: RepositoryClient;

  constructor(client: RepositoryClient) {
    this.#client = client;
  }

  /**
   * Returns the commit at the tip; undefined when there is no such branch. A missing branch and an inaccessible
   * repository both cause a 404, so the repository is then read as well. A repository without commits causes a 409.
   */
  async tip(branch: string, options?: CallOptions): Promise<string | undefined> {
    try {
      return await this.#client.read(
        'GET /repos/{owner}/{repo}/git/ref/{ref}',
        { ...this.#path(), ref: `heads/${branch}` },
        this.#call('get', branch, options, 'read'),
        ({ object }) => object.sha,
      );
    } catch (error) {
      if (isTyped(error, 'Conflict') && /repository is empty/i.test(error.message)) return undefined;
      if (!isTyped(error, 'NotFound')) throw error;
    }
    await this.#client.send(
      'GET /repos/{owner}/{repo}',
      this.#path(),
      this.#call('get', branch, options, 'read'),
    );
    return undefined;
  }

  /** @throws TypedError `Conflict` with reason `AlreadyExists`. */
  async make(branch: string, sha: string, options?: CallOptions): Promise<void> {
    const call = this.#call('create', branch, options);
    try {
      await this.#client.send(
        'POST /repos/{owner}/{repo}/git/refs',
        { ...this.#path(), ref: `refs/heads/${branch}`, sha },
        call,
      );
    } catch (error) {
      // The second message does not state the reason: another client may have been first.
      const exists =
        says(error, /reference already exists/i) ||
        (says(error, /reference update failed/i) && (await this.tip(branch, options)) !== undefined);
      throw exists ? this.#client.named(call, branchExists(branch)) : error;
    }
  }

  /**
   * Moves a branch forward, from `from` to a commit that follows it. A reset since the caller's read is not detected.
   *
   * @throws TypedError `Conflict` with reason `HeadMoved`, `Invalid` with reason `BranchMissing`.
   */
  async move(branch: string, from: string, to: string, options?: CallOptions): Promise<void> {
    const call = this.#call('update', branch, options);
    try {
      await this.#client.send(
        'PATCH /repos/{owner}/{repo}/git/refs/{ref}',
        { ...this.#path(), ref: `heads/${branch}`, sha: to, force: false },
        call,
      );
    } catch (error) {
      if (says(error, /not a fast.?forward/i)) throw this.#client.named(call, headMoved(branch, from));
      if (says(error, /reference does not exist/i)) throw this.#client.named(call, branchMissing(branch));
      throw error;
    }
  }

  /**
   * Deletes a branch at a commit. GitHub's deletion does not name the commit, so a move between the read and the deletion is
   * not detected.
   *
   * @throws TypedError `Conflict` with reason `HeadMoved`.
   */
  async remove(branch: string, tip: string, options?: CallOptions): Promise<void> {
    const now = await this.tip(branch, { priority: 'write', ...options });
    if (now === undefined) return;
    const call = this.#call('delete', branch, options);
    if (now !== tip) throw this.#client.named(call, headMoved(branch, tip, now));
    try {
      await this.#client.send(
        'DELETE /repos/{owner}/{repo}/git/refs/{ref}',
        { ...this.#path(), ref: `heads/${branch}` },
        call,
      );
    } catch (error) {
      if (!says(error, /reference does not exist/i)) throw error;
    }
  }

  #call(
    operation: string,
    branch: string,
    options: CallOptions | undefined,
    priority: Call['priority'] = 'write',
  ): Call {
    return contentsCall(operation, priority, options, `branch ${branch}`);
  }

  #path(): { owner: string; repo: string } {
    const { owner, name } = this.#client.repository;
    return { owner, repo: name };
  }
}

/** Returns whether an error is a 422 with that text. */
function says(error: unknown, text: RegExp): boolean {
  return isTyped(error, 'Invalid') && text.test(error.message);
}
