import type { KeyedLock } from '@interlock/base';
import type { JsonApi } from '../http/json-api.js';
import type { ScmRepository } from '../scm.js';
import { GiteaClient, type GiteaRepositoryName } from './client.js';
import { GiteaContents } from './contents.js';
import { GiteaDiscussion } from './discussion.js';
import { GiteaLabels } from './labels.js';
import { GiteaPullRequests } from './pull-requests.js';
import { GiteaStatuses } from './statuses.js';
import { addressMethods, discussionMethods, statusMethods } from '../repository-methods.js';

interface RepositoryAnswer {
  default_branch: string;
  archived: boolean;
}

/** Returns the repository of `api`. */
export function giteaRepository(
  api: JsonApi,
  repository: GiteaRepositoryName,
  { webUrl, token, turns }: { webUrl: string; token: string; turns: KeyedLock },
): ScmRepository {
  const { owner, name } = repository;
  const home = `${webUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  const client = new GiteaClient(api, repository);
  const statuses = new GiteaStatuses(client);
  const pulls = new GiteaPullRequests(client, statuses);
  const labels = new GiteaLabels(client);
  const discussion = new GiteaDiscussion(client);
  return {
    ...addressMethods(client.fullName, home, { commit: 'commit', pullRequest: 'pulls' }),
    contents: new GiteaContents(client, turns),
    // Any user name is accepted when the password is a token.
    gitCredentials: () => Promise.resolve({ username: 'oauth2', password: token }),
    async describe(options) {
      const call = { api: 'Repository', operation: 'get', priority: 'read', options } as const;
      const answer = await client.send<RepositoryAnswer>('GET', client.path(), call);
      return { defaultBranch: answer.default_branch, archived: answer.archived };
    },
    findPullRequests: (query, options) => pulls.find(query, options),
    getPullRequest: (id, options) => pulls.get(id, options),
    createPullRequest: (request, options) => pulls.create(request, options),
    updatePullRequest: (id, change, options) => pulls.edit(id, 'update', change, options),
    closePullRequest: (id, options) => pulls.edit(id, 'close', { state: 'closed' }, options),
    mergePullRequest: (id, merge, options) => pulls.merge(id, merge, options),
    ensureLabels: (id, change, options) => labels.ensure(id, change, options),
    ...discussionMethods(discussion),
    ...statusMethods(statuses),
  };
}
