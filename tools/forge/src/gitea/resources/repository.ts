import * as z from 'zod';
import type { MergeMethod } from '../../domain/model.js';
import { combinedState, latestStatuses } from '../../domain/statuses.js';
import { repositoryRoute, userRoute, type GiteaRoute } from '../call.js';
import { presentRepository, presentStatus, presentUser } from '../present/present.js';

const editRequest = z.object({
  allow_merge_commits: z.boolean().optional(),
  allow_squash_merge: z.boolean().optional(),
  allow_rebase: z.boolean().optional(),
  archived: z.boolean().optional(),
});
const statusRequest = z.object({
  state: z.enum(['pending', 'success', 'error', 'failure']),
  context: z.string().default('default'),
  description: z.string().default(''),
  target_url: z.string().default(''),
});

/** REST API, "user" and "repository": the repository itself and its statuses. */
export const repositoryRoutes: GiteaRoute[] = [
  userRoute('GET /user', ({ links, actor }) => ({ status: 200, body: presentUser(links, actor.account) })),
  repositoryRoute('GET ', 'metadata:read', ({ domain, links, repository }) => ({
    status: 200,
    body: presentRepository(domain, links, repository),
  })),
  repositoryRoute('PATCH ', 'administration:write', (call) => {
    const { domain, links, repository } = call;
    const edit = call.read(editRequest);
    const requested: Record<MergeMethod, boolean | undefined> = {
      merge: edit.allow_merge_commits,
      squash: edit.allow_squash_merge,
      rebase: edit.allow_rebase,
    };
    const methods: MergeMethod[] = ['merge', 'squash', 'rebase'];
    repository.mergeMethods = methods.filter(
      (method) => requested[method] ?? repository.mergeMethods.includes(method),
    );
    repository.archived = edit.archived ?? repository.archived;
    return { status: 200, body: presentRepository(domain, links, repository) };
  }),
  repositoryRoute('POST /statuses/{sha}', 'statuses:write', async (call) => {
    const { state, context, description, target_url: targetUrl } = call.read(statusRequest);
    const wanted = { sha: call.parameter('sha'), state, context, description, targetUrl };
    const status = await call.domain.statuses.create(call.repository, call.actor.account, wanted);
    return { status: 201, body: presentStatus(call.domain, call.links, status) };
  }),
  repositoryRoute('GET /commits/{sha}/status', 'statuses:read', async (call) => {
    const { domain, links, repository } = call;
    const sha = call.parameter('sha');
    const all = latestStatuses(repository, sha);
    const page = await call.list(all, (status) => presentStatus(domain, links, status));
    // Gitea returns null if there are no statuses.
    const statuses = all.length === 0 ? null : page.body;
    return {
      ...page,
      body: { sha, state: all.length === 0 ? '' : combinedState(all), statuses, total_count: all.length },
    };
  }),
];
