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
   * Returns the commit at the tip; undefined when there is no such branch. That, and a repository that may not be seen, are
   *   both a 404, so the repository is asked for then.
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
      // The second says nothing of why: another may have been first.
      const exists =
        says(error, /reference already exists/i) ||
        (says(error, /reference update failed/i) && (await this.tip(branch, options)) !== undefined);
      throw exists ? this.#client.named(call, branchExists(branch)) : error;
    }
  }

  /**
   * Moves a branch on, from `from` to a commit that follows it. That it has gone back since the caller looked is not seen.
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
   * GitHub has no deletion that names the commit: a move between the look and the deletion is not seen.
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

/** Returns whether it is a 422 with that text. */
function says(error: unknown, text: RegExp): boolean {
  return isTyped(error, 'Invalid') && text.test(error.message);
}
