import * as z from 'zod';
import { combinedState, latestStatuses, statusesOf } from '../../domain/statuses.js';
import { repositoryRoute, type GithubRoute, type RepositoryCall } from '../call.js';
import { custom } from '../errors.js';
import { commitOf } from '../revision.js';
import { presentStatus } from '../present/check-run.js';
import { presentRepository } from '../present/repository.js';

const request = z.object({
  state: z.enum(['error', 'failure', 'pending', 'success']),
  target_url: z.string().nullish(),
  description: z.string().max(140, 'is too long (maximum is 140 characters)').nullish(),
  context: z.string().min(1).max(255).optional(),
});

/** REST API, "Commit statuses". */
export const statusRoutes: GithubRoute[] = [
  repositoryRoute('POST /repos/{owner}/{repo}/statuses/{sha}', 'statuses:write', async (call) => {
    const { state, target_url = null, description = null, context = 'default' } = call.read(request);
    if (target_url !== null && !/^https?:\/\//i.test(target_url)) {
      throw custom('Status', 'target_url must use http(s) scheme', 'target_url');
    }
    const status = await call.domain.statuses.create(call.repository, call.actor.account, {
      sha: call.parameter('sha'),
      state,
      context,
      description,
      targetUrl: target_url,
    });
    return { status: 201, body: present(call)(status) };
  }),
  ...['GET /repos/{owner}/{repo}/commits/{ref+}/statuses', 'GET /repos/{owner}/{repo}/statuses/{ref+}'].map(
    (name) =>
      repositoryRoute(name, 'statuses:read', async (call) => {
        const sha = await commitOf(call, call.parameter('ref'));
        return call.list(statusesOf(call.repository, sha), present(call));
      }),
  ),
  repositoryRoute('GET /repos/{owner}/{repo}/commits/{ref+}/status', 'statuses:read', async (call) => {
    const { domain, links, repository } = call;
    const sha = await commitOf(call, call.parameter('ref'));
    const statuses = latestStatuses(repository, sha);
    const { items, headers } = call.page(statuses);
    const { api } = links.repository(domain.core.owner(repository).login, repository.name);
    return {
      status: 200,
      headers,
      body: {
        state: combinedState(statuses),
        statuses: items.map(present(call)),
        sha,
        total_count: statuses.length,
        repository: presentRepository(domain.core, links, repository),
        commit_url: `${api}/commits/${sha}`,
        url: `${api}/commits/${sha}/status`,
      },
    };
  }),
];

function present({ domain, links, repository }: RepositoryCall) {
  return (status: Parameters<typeof presentStatus>[3]) =>
    presentStatus(domain.core, links, repository, status);
}
