import type { CommitStatusSchema } from '@gitbeaker/rest';
import type { Core } from '../../domain/core.js';
import type { CommitStatus, Repository, StatusState } from '../../domain/model.js';
import { latestStatuses, pipelineState } from '../../domain/statuses.js';
import type { Subset } from '../../rest/subset.js';
import type { Links } from '../links.js';
import { presentUser } from './user.js';

export const gitlabStates = {
  pending: 'pending',
  running: 'running',
  success: 'success',
  failure: 'failed',
  error: 'canceled',
} as const satisfies Record<StatusState, string>;

/** @param ref the branch to which GitLab assigns the status. */
export function presentStatus(core: Core, links: Links, ref: string, status: CommitStatus) {
  return {
    id: status.id,
    sha: status.sha,
    ref,
    status: gitlabStates[status.state],
    name: status.context,
    target_url: status.targetUrl,
    description: status.description,
    created_at: status.createdAt,
    allow_failure: false,
    author: presentUser(links, core.account(status.creatorId)),
  } satisfies Subset<Omit<CommitStatusSchema, 'target_url' | 'description'>> & {
    target_url: string | null;
    description: string | null;
  };
}

/** Returns the pipeline that GitLab derives from the statuses of a commit, or null if there are none. */
export function presentPipeline(core: Core, links: Links, repository: Repository, sha: string, ref: string) {
  const statuses = latestStatuses(repository, sha);
  const first = repository.statuses.find((status) => status.sha === sha);
  const state = pipelineState(statuses);
  if (first === undefined || state === undefined) return null;
  return {
    id: first.id,
    iid: first.id,
    project_id: repository.id,
    sha,
    ref,
    source: 'external',
    status: gitlabStates[state],
    created_at: first.createdAt,
    web_url: `${links.project(core, repository).html}/-/commit/${sha}`,
  };
}
