import type { KeyedLock } from '@interlock/base';
import type { CallOptions } from '../call-options.js';
import type { RepositoryInfo, ScmRepository } from '../scm.js';
import type { ProjectClient } from './client.js';
import { GitlabContents } from './contents.js';
import { GitlabDiscussion } from './discussion.js';
import { GitlabMergeRequests } from './merge-requests.js';
import { readSettings } from './settings.js';
import { GitlabStatuses } from './statuses.js';
import {
  addressMethods,
  discussionMethods,
  pullRequestMethods,
  statusMethods,
} from '../repository-methods.js';

/**
 * Returns the repository of `client`.
 *
 * @param turns serializes the commits to each branch.
 */
export function gitlabRepository(client: ProjectClient, turns: KeyedLock): ScmRepository {
  const { account } = client.transport;
  const home = `${account.url}/${client.fullName.split('/').map(encodeURIComponent).join('/')}`;
  const requests = new GitlabMergeRequests(client);
  const statuses = new GitlabStatuses(client);
  const discussion = new GitlabDiscussion(client);

  return {
    ...addressMethods(client.fullName, home, { commit: '-/commit', pullRequest: '-/merge_requests' }),
    contents: new GitlabContents(client, turns),
    gitCredentials: () => Promise.resolve({ username: 'oauth2', password: account.token }),
    async describe(options?: CallOptions): Promise<RepositoryInfo> {
      const { defaultBranch, archived } = await readSettings(client, options);
      return { defaultBranch, archived };
    },
    ...pullRequestMethods(requests),
    leaveMergeQueue: (id, options) => requests.leaveTrain(id, options),
    ...discussionMethods(discussion),
    ...statusMethods(statuses),
  };
}
