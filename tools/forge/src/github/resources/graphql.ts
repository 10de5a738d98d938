import * as z from 'zod';
import { accessOf } from '../../domain/access.js';
import { Refusal, found } from '../../domain/refusal.js';
import type { PullRequest, Repository } from '../../domain/model.js';
import type { Answer } from '../../rest/answer.js';
import { within } from '../../rest/within.js';
import type { ActorCall, GithubRoute } from '../call.js';
import { errorOf } from '../errors.js';
import { nodeId } from '../links.js';

const request = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).default({}),
});
const pullRequestVariables = z.object({ owner: z.string(), name: z.string(), number: z.int() });
const enqueueVariables = z.object({
  input: z.object({ pullRequestId: z.string(), expectedHeadOid: z.string().optional() }),
});
const dequeueVariables = z.object({ input: z.object({ id: z.string() }) });

/**
 * GraphQL API, "Pull requests": the merge queue, which the REST API does not offer. Three operations are supported,
 * which are identified by the requested field. The response always contains all supported fields, regardless of the
 * selection.
 */
export const graphqlRoutes: GithubRoute[] = [
  {
    name: 'POST /graphql',
    endpoint: {
      who: 'actor',
      handle: (call) => {
        const { query, variables } = call.read(request);
        if (/\benqueuePullRequest\s*\(/.test(query)) return enqueue(call, variables);
        if (/\bdequeuePullRequest\s*\(/.test(query)) return dequeue(call, variables);
        if (/\bpullRequest\s*\(/.test(query)) return show(call, variables);
        return failed(
          'the forge supports only the fields pullRequest, enqueuePullRequest and dequeuePullRequest',
          'query',
        );
      },
    },
  },
];

async function show(call: ActorCall, variables: Record<string, unknown>): Promise<Answer> {
  const { owner, name, number } = call.read(pullRequestVariables, variables);
  const { domain, actor } = call;
  try {
    const repository = admitted(call, domain.repositories.find(owner, name), 'read');
    return await within(domain, repository, { reads: true, sender: actor.account }, () => {
      const pullRequest = present(call, repository, domain.pulls.get(repository, number));
      return Promise.resolve({ status: 200, body: { data: { repository: { pullRequest } } } });
    });
  } catch (error) {
    return refused(error, 'repository');
  }
}

async function enqueue(call: ActorCall, variables: Record<string, unknown>): Promise<Answer> {
  const { input } = call.read(enqueueVariables, variables);
  const { domain, actor } = call;
  try {
    const { repository, pull } = pullOf(call, input.pullRequestId);
    admitted(call, repository, 'write');
    return await within(domain, repository, { reads: false, sender: actor.account }, async () => {
      const [method = 'merge'] = repository.mergeMethods;
      await domain.mergeQueue.enter(repository, actor.account, pull, { head: input.expectedHeadOid, method });
      const { mergeQueueEntry } = present(call, repository, pull);
      return { status: 200, body: { data: { enqueuePullRequest: { mergeQueueEntry } } } };
    });
  } catch (error) {
    return refused(error, 'enqueuePullRequest');
  }
}

async function dequeue(call: ActorCall, variables: Record<string, unknown>): Promise<Answer> {
  const { input } = call.read(dequeueVariables, variables);
  const { domain, actor } = call;
  try {
    const { repository, pull } = pullOf(call, input.id);
    admitted(call, repository, 'write');
    return await within(domain, repository, { reads: false, sender: actor.account }, () => {
      domain.mergeQueue.leave(pull);
      return Promise.resolve({
        status: 200,
        body: { data: { dequeuePullRequest: { mergeQueueEntry: null } } },
      });
    });
  } catch (error) {
    return refused(error, 'dequeuePullRequest');
  }
}

function pullOf({ domain }: ActorCall, id: string): { repository: Repository; pull: PullRequest } {
  for (const repository of domain.core.state.repositories) {
    const pull = repository.pulls.find((one) => nodeId('PullRequest', one.id) === id);
    if (pull !== undefined) return { repository, pull };
  }
  throw new Refusal({ code: 'NotFound' });
}

/** @throws Refusal `NotFound` for a repository to which the caller does not have this access. */
function admitted(
  { actor }: ActorCall,
  repository: Repository | undefined,
  level: 'read' | 'write',
): Repository {
  const known = found(repository);
  const access = accessOf(actor, known, 'contents');
  return found(access === 'write' || access === level ? known : undefined);
}

function present({ domain }: ActorCall, repository: Repository, pull: PullRequest) {
  const position = domain.mergeQueue.position(repository, pull);
  return {
    id: nodeId('PullRequest', pull.id),
    headRefOid: pull.head.sha,
    isMergeQueueEnabled: repository.protections[pull.base.ref]?.mergeQueue ?? false,
    isInMergeQueue: position > 0,
    mergeQueueEntry: position === 0 ? null : { position, state: 'AWAITING_CHECKS' },
  };
}

function refused(error: unknown, field: string): Answer {
  if (!(error instanceof Refusal)) throw error;
  if (error.reason.code === 'NotFound') return failed('Could not resolve to a node', field, 'NOT_FOUND');
  const { message } = errorOf(error.reason);
  return failed(error.reason.code === 'Queued' ? message : `Pull request ${message}`, field);
}

function failed(message: string, field: string, type = 'UNPROCESSABLE'): Answer {
  return { status: 200, body: { data: { [field]: null }, errors: [{ type, path: [field], message }] } };
}
