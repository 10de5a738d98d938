import { TypedError, isTyped } from '@interlock/api';
import type { CallOptions } from '../call-options.js';
import { pullRequest, pullRequestCall } from '../http/call.js';
import { dequeued } from '../refusals.js';
import type { MergeRequest } from '../scm.js';
import type { RepositoryClient } from './client.js';

interface Seen {
  repository: {
    pullRequest: {
      id: string;
      isInMergeQueue: boolean;
      mergeQueueEntry: { position: number; state: string } | null;
    } | null;
  } | null;
}

const readQuery = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { id isInMergeQueue mergeQueueEntry { position state } }
  }
}`;
const enqueueMutation = `mutation ($input: EnqueuePullRequestInput!) {
  enqueuePullRequest(input: $input) { mergeQueueEntry { position state } }
}`;
const dequeueMutation = `mutation ($input: DequeuePullRequestInput!) {
  dequeuePullRequest(input: $input) { mergeQueueEntry { position } }
}`;

/** The merge queue of a branch (GraphQL API, "enqueuePullRequest"); the REST API does not support it. */
export class GithubMergeQueue {
  readonly #client: RepositoryClient;

  constructor(client: RepositoryClient) {
    this.#client = client;
  }

  /**
   * Adds a pull request to the queue of its base, unless it is already there. The queue drops it when its head changes.
   *
   * @throws TypedError `Conflict` with reason `Blocked` when a rule of the branch is not met, with reason `Dequeued` when it
   *   was in the queue before.
   */
  async enter(id: number, { base, headSha, queued = false }: MergeRequest, options?: CallOptions) {
    const seen = await this.#read(id, options);
    if (seen.isInMergeQueue) return;
    if (queued) throw dequeued(`the merge queue of ${base}`);
    const call = pullRequestCall('enqueue', 'critical', options, pullRequest(id));
    const input = { pullRequestId: seen.id, expectedHeadOid: headSha };
    try {
      await this.#client.graphql(enqueueMutation, { input }, call);
    } catch (error) {
      if (!isTyped(error, 'Conflict') || !/already in the queue/i.test(error.message)) throw error;
    }
  }

  /** Removes a pull request from the queue. Returns whether it was there. */
  async leave(id: number, options?: CallOptions): Promise<boolean> {
    const seen = await this.#read(id, options);
    if (!seen.isInMergeQueue) return false;
    const call = pullRequestCall('dequeue', 'critical', options, pullRequest(id));
    await this.#client.graphql(dequeueMutation, { input: { id: seen.id } }, call);
    return true;
  }

  async #read(id: number, options?: CallOptions): Promise<{ id: string; isInMergeQueue: boolean }> {
    const { owner, name } = this.#client.repository;
    const call = pullRequestCall('get', 'critical', options, `merge queue entry of ${pullRequest(id)}`);
    const data = await this.#client.graphql<Seen>(readQuery, { owner, name, number: id }, call);
    const seen = data.repository?.pullRequest;
    if (seen != null) return seen;
    throw new TypedError('NotFound', `${this.#client.whatOf(call)}: there is no such pull request`);
  }
}
