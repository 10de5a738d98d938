import type { GithubRoute } from '../call.js';
import { presentAccount } from '../present/account.js';
import { notFound } from '../errors.js';

/** REST API, "Meta", "Rate limit", "Users": information about the server and the caller. */
export const serverRoutes: GithubRoute[] = [
  {
    name: 'GET /',
    endpoint: { who: 'anyone', handle: ({ links }) => ({ status: 200, body: rootOf(links.api) }) },
  },
  {
    name: 'GET /meta',
    endpoint: {
      who: 'anyone',
      handle: () => ({
        status: 200,
        body: { verifiable_password_authentication: false, installed_version: '3.17.0' },
      }),
    },
  },
  {
    name: 'GET /rate_limit',
    endpoint: {
      who: 'anyone',
      handle: ({ services }, caller) => {
        const core = services.limits.budget(caller.budget);
        return { status: 200, body: { resources: { core }, rate: core } };
      },
    },
  },
  {
    name: 'GET /user',
    endpoint: {
      who: 'actor',
      handle: ({ actor, domain, links }) => {
        const { account } = actor;
        const owned = domain.core.state.repositories.filter(({ ownerId }) => ownerId === account.id);
        return {
          status: 200,
          body: {
            ...presentAccount(links, account),
            name: account.name,
            email: account.email,
            total_private_repos: owned.length,
            created_at: account.createdAt,
            updated_at: account.createdAt,
          },
        };
      },
    },
  },
  {
    name: 'GET /users/{username}',
    endpoint: {
      who: 'actor',
      handle: (call) => {
        const account = call.domain.accounts.find(call.parameter('username'));
        if (account === undefined) throw notFound();
        return { status: 200, body: presentAccount(call.links, account) };
      },
    },
  },
];

function rootOf(api: string): Record<string, string> {
  return {
    current_user_url: `${api}/user`,
    rate_limit_url: `${api}/rate_limit`,
    repository_url: `${api}/repos/{owner}/{repo}`,
    user_url: `${api}/users/{user}`,
  };
}
