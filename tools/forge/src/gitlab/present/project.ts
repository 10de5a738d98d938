import type { ExpandedHookSchema, ProjectSchema } from '@gitbeaker/rest';
import type { Core } from '../../domain/core.js';
import type { Hook, Repository } from '../../domain/model.js';
import type { Subset } from '../../rest/subset.js';
import type { Links } from '../links.js';

export function presentProject(core: Core, links: Links, repository: Repository) {
  const { path, html } = links.project(core, repository);
  const owner = core.owner(repository);
  const { mergeMethods } = repository;
  const commits = mergeMethods.includes('merge') || mergeMethods.includes('rebase');
  return {
    id: repository.id,
    name: repository.name,
    path: repository.name,
    path_with_namespace: path,
    namespace: {
      id: owner.id,
      name: owner.name,
      path: owner.login.slice(owner.login.lastIndexOf('/') + 1),
      kind: owner.type === 'User' ? 'user' : 'group',
      full_path: owner.login,
      web_url: `${links.html}/${owner.login}`,
    },
    description: repository.description,
    default_branch: repository.defaultBranch,
    visibility: 'private' as const,
    archived: repository.archived,
    web_url: html,
    http_url_to_repo: `${html}.git`,
    merge_method: 'merge',
    squash_option: squashOption(mergeMethods.includes('squash'), commits),
    only_allow_merge_if_pipeline_succeeds: repository.pipelinesMustSucceed ?? false,
    merge_trains_enabled: repository.mergeTrains ?? false,
    remove_source_branch_after_merge: repository.deleteBranchOnMerge,
    created_at: repository.createdAt,
    last_activity_at: repository.updatedAt,
  } satisfies Subset<ProjectSchema>;
}

function squashOption(squashes: boolean, commits: boolean): 'never' | 'always' | 'default_off' {
  if (!squashes) return 'never';
  return commits ? 'default_off' : 'always';
}

/** The events of a hook, by the field of the API that enables them. */
export const hookFlags = {
  push_events: 'Push Hook',
  tag_push_events: 'Tag Push Hook',
  merge_requests_events: 'Merge Request Hook',
  pipeline_events: 'Pipeline Hook',
} as const;

export function presentHook(repository: Repository, hook: Hook) {
  const has = (event: string): boolean => hook.events.includes(event);
  return {
    id: hook.id,
    url: hook.url,
    project_id: repository.id,
    created_at: hook.createdAt,
    push_events: has(hookFlags.push_events),
    tag_push_events: has(hookFlags.tag_push_events),
    merge_requests_events: has(hookFlags.merge_requests_events),
    pipeline_events: has(hookFlags.pipeline_events),
    token_present: hook.secret !== '',
    signing_token_present: hook.signingToken !== undefined,
  } satisfies Subset<ExpandedHookSchema>;
}
