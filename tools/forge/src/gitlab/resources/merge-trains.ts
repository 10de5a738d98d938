import * as z from 'zod';
import type { Answer } from '../../rest/answer.js';
import { projectRoute, type GitlabRoute, type ProjectCall } from '../call.js';
import { notFound } from '../errors.js';
import { flag } from '../schema.js';
import { pullOf } from './merge-requests.js';

const addRequest = z.object({
  sha: z.string().optional(),
  squash: flag.optional(),
  auto_merge: flag.optional(),
});

const one = '/projects/{id}/merge_trains/merge_requests/{iid}';

/** REST API, "Merge trains". */
export const mergeTrainRoutes: GitlabRoute[] = [
  projectRoute(`GET ${one}`, 'pull_requests:read', (call) => {
    const car = carOf(call);
    if (car === undefined) throw notFound('Merge Train Merge Request');
    return { status: 200, body: car };
  }),
  projectRoute(`POST ${one}`, 'contents:write', async (call): Promise<Answer> => {
    const { domain, repository, actor } = call;
    if (repository.mergeTrains !== true) throw notFound();
    const { sha, squash = false } = call.read(addRequest);
    const method = squash ? 'squash' : 'merge';
    await domain.mergeQueue.enter(repository, actor.account, pullOf(call), { head: sha, method });
    return { status: 201, body: [carOf(call)] };
  }),
  projectRoute(
    'POST /projects/{id}/merge_requests/{iid}/cancel_merge_when_pipeline_succeeds',
    'contents:write',
    (call) => {
      call.domain.mergeQueue.leave(pullOf(call));
      return { status: 201, body: { status: 'success' } };
    },
  ),
];

function carOf(call: ProjectCall) {
  const { domain, repository } = call;
  const pull = pullOf(call);
  if (domain.mergeQueue.position(repository, pull) === 0) return undefined;
  return {
    id: pull.id,
    merge_request: { id: pull.id, iid: pull.number, project_id: repository.id, state: 'opened' },
    target_branch: pull.base.ref,
    status: 'fresh',
  };
}
