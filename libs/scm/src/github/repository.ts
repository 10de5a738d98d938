import type { CallOptions } from '../call-options.js';
import type { GitCredentials, RepositoryInfo, ScmRepository } from '../scm.js';
import { CheckRuns } from './check-runs.js';
import type { RepositoryClient } from './client.js';
import { GithubContents } from './contents.js';
import { GithubPullRequests } from './pull-requests.js';
import { GithubReviews } from './reviews.js';
import { Statuses } from './statuses.js';
import {
  addressMethods,
  discussionMethods,
  pullRequestMethods,
  statusMethods,
} from '../repository-methods.js';

/** Returns the repository of `client`; `webUrl` is the URL of the server. */
export function githubRepository(client: RepositoryClient, webUrl: string): ScmRepository {
  const { owner, name } = client.repository;
  const fullName = `${owner}/${name}`;
  const home = `${webUrl}/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  const pulls = new GithubPullRequests(client);
  const reviews = new GithubReviews(client);
  const { appId } = client.credential;
  const statuses = appId === undefined ? new Statuses(client) : new CheckRuns(client, appId);

  return {
    ...addressMethods(fullName, home, { commit: 'commit', pullRequest: 'pull' }),
    contents: new GithubContents(client),
    async gitCredentials(options?: CallOptions): Promise<GitCredentials> {
      const { token } = await client.authorize(options);
      return { username: 'x-access-token', password: token };
    },
    describe: (options?: CallOptions): Promise<RepositoryInfo> =>
      client.read(
        'GET /repos/{owner}/{repo}',
        { owner, repo: name },
        { api: 'Repository', operation: 'get', priority: 'read', options },
        ({ default_branch: defaultBranch, archived }) => ({ defaultBranch, archived }),
      ),
    ...pullRequestMethods(pulls),
    leaveMergeQueue: (id, options) => pulls.leaveQueue(id, options),
    ...discussionMethods(reviews),
    ...statusMethods(statuses),
  };
}
