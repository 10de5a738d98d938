import type { KeyedLock } from '@interlock/base';
import type { RepositoryInfo, ScmRepository } from '../scm.js';
import type { ProjectClient } from './client.js';
import { GitlabContents } from './contents.js';
import { GitlabDiscussion } from './discussion.js';
import { GitlabMergeRequests } from './merge-requests.js';
import { readSettings } from './settings.js';
import { GitlabStatuses } from './statuses.js';
import type { CallOptions } from '../call-options.js';

/** @param turns of commits to branches. @returns the repository behind `client`. */
export function gitlabRepository(client: ProjectClient, turns: KeyedLock): ScmRepository {
  const { account } = client.transport;
  const home = `${account.url}/${client.fullName.split('/').map(encodeURIComponent).join('/')}`;
  const requests = new GitlabMergeRequests(client);
  const statuses = new GitlabStatuses(client);
  const discussion = new GitlabDiscussion(client);

  return {
    fullName: client.fullName,
    cloneUrl: `${home}.git`,
    contents: new GitlabContents(client, turns),
    webUrl(target) {
      if (target === undefined) return home;
      return 'commit' in target
        ? `${home}/-/commit/${target.commit}`
        : `${home}/-/merge_requests/${target.pullRequest}`;
    },
    gitCredentials: () => Promise.resolve({ username: 'oauth2', password: account.token }),
    async describe(options?: CallOptions): Promise<RepositoryInfo> {
      const { defaultBranch, archived } = await readSettings(client, options);
      return { defaultBranch, archived };
    },
    findPullRequests: (query, options) => requests.find(query, options),
    getPullRequest: (id, options) => requests.get(id, options),
    createPullRequest: (request, options) => requests.create(request, options),
    updatePullRequest: (id, change, options) => requests.update(id, change, options),
    closePullRequest: (id, options) => requests.close(id, options),
    mergePullRequest: (id, merge, options) => requests.merge(id, merge, options),
    leaveMergeQueue: (id, options) => requests.leaveTrain(id, options),
    ensureLabels: (id, change, options) => requests.ensureLabels(id, change, options),
    ensureReviewers: (id, logins, options) => discussion.ensureReviewers(id, logins, options),
    ensureComment: (id, comment, options) => discussion.ensureComment(id, comment, options),
    ensureCommitStatus: (status, options) => statuses.ensure(status, options),
    listCommitStatuses: (sha, options) => statuses.list(sha, options),
  };
}
