import * as z from 'zod';
import type { MergeMethod } from '../../domain/model.js';
import { repositoryRoute, type GithubRoute } from '../call.js';
import { presentFullRepository } from '../present/repository.js';

const updateRequest = z.object({
  description: z.string().nullish(),
  archived: z.boolean().optional(),
  allow_merge_commit: z.boolean().optional(),
  allow_squash_merge: z.boolean().optional(),
  allow_rebase_merge: z.boolean().optional(),
  delete_branch_on_merge: z.boolean().optional(),
});

/** REST API, "Repositories". */
export const repositoryRoutes: GithubRoute[] = [
  repositoryRoute('GET /repos/{owner}/{repo}', 'metadata:read', (call) => ({
    status: 200,
    body: presentFullRepository(call.domain.core, call.links, call.actor, call.repository),
  })),
  repositoryRoute('PATCH /repos/{owner}/{repo}', 'administration:write', (call) => {
    const { repository } = call;
    const wanted = call.read(updateRequest);
    const allowed: Record<MergeMethod, boolean | undefined> = {
      merge: wanted.allow_merge_commit,
      squash: wanted.allow_squash_merge,
      rebase: wanted.allow_rebase_merge,
    };
    repository.mergeMethods = (['merge', 'squash', 'rebase'] as const).filter(
      (method) => allowed[method] ?? repository.mergeMethods.includes(method),
    );
    repository.description = wanted.description ?? repository.description;
    repository.archived = wanted.archived ?? repository.archived;
    repository.deleteBranchOnMerge = wanted.delete_branch_on_merge ?? repository.deleteBranchOnMerge;
    repository.updatedAt = call.domain.core.now();
    return {
      status: 200,
      body: presentFullRepository(call.domain.core, call.links, call.actor, repository),
    };
  }),
];
