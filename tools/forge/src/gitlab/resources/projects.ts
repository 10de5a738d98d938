import * as z from 'zod';
import { sameName } from '../../domain/core.js';
import type { MergeMethod } from '../../domain/model.js';
import { notFound } from '../errors.js';
import { projectRoute, userRoute, type GitlabRoute, type ProjectCall } from '../call.js';
import { presentProject } from '../present/project.js';
import { presentUser } from '../present/user.js';
import { flag } from '../schema.js';

const updateRequest = z.object({
  description: z.string().optional(),
  default_branch: z.string().optional(),
  merge_method: z.enum(['merge']).optional(),
  squash_option: z.enum(['never', 'always', 'default_on', 'default_off']).optional(),
  only_allow_merge_if_pipeline_succeeds: flag.optional(),
  remove_source_branch_after_merge: flag.optional(),
});

/** REST API, "Users", "Version", "Projects". */
export const projectRoutes: GitlabRoute[] = [
  userRoute('GET /user', ({ links, actor }) => ({ status: 200, body: presentUser(links, actor.account) })),
  userRoute('GET /users', (call) => {
    const name = call.query.get('username');
    const all = call.domain.core.state.accounts.filter(({ type }) => type === 'User');
    const found = name === null ? all : all.filter(({ login }) => sameName(login, name));
    return call.list(found, (account) => presentUser(call.links, account));
  }),
  userRoute('GET /version', () => ({ status: 200, body: { version: '18.6.0', revision: 'forge' } })),
  userRoute('GET /projects', (call) =>
    call.list(call.domain.repositories.visibleTo(call.actor), (repository) =>
      presentProject(call.domain.core, call.links, repository),
    ),
  ),
  projectRoute('GET /projects/{id}', 'metadata:read', (call) => present(call)),
  projectRoute('PUT /projects/{id}', 'administration:write', (call) => {
    const { repository } = call;
    const change = call.read(updateRequest);
    const { default_branch: branch } = change;
    if (branch !== undefined && repository.refs[`refs/heads/${branch}`] === undefined)
      throw notFound('Branch');
    repository.description = change.description ?? repository.description;
    repository.defaultBranch = branch ?? repository.defaultBranch;
    repository.deleteBranchOnMerge =
      change.remove_source_branch_after_merge ?? repository.deleteBranchOnMerge;
    if (change.squash_option !== undefined) repository.mergeMethods = methodsOf(change.squash_option);
    const must = change.only_allow_merge_if_pipeline_succeeds;
    if (must !== undefined) repository.pipelinesMustSucceed = must;
    repository.updatedAt = call.domain.core.now();
    return present(call);
  }),
  projectRoute('POST /projects/{id}/archive', 'administration:write', (call) => archive(call, true)),
  projectRoute('POST /projects/{id}/unarchive', 'administration:write', (call) => archive(call, false)),
];

function archive(call: ProjectCall, archived: boolean) {
  call.repository.archived = archived;
  return { ...present(call), status: 201 };
}

function present({ domain, links, repository }: ProjectCall) {
  return { status: 200, body: presentProject(domain.core, links, repository) };
}

function methodsOf(squash: 'never' | 'always' | 'default_on' | 'default_off'): MergeMethod[] {
  if (squash === 'never') return ['merge'];
  return squash === 'always' ? ['squash'] : ['merge', 'squash'];
}
