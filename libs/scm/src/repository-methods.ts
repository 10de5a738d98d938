import type { ScmRepository } from './scm.js';

/** The part of a plugin for the pull requests of a repository. */
interface PullRequestMethods {
  find: ScmRepository['findPullRequests'];
  get: ScmRepository['getPullRequest'];
  create: ScmRepository['createPullRequest'];
  update: ScmRepository['updatePullRequest'];
  close: ScmRepository['closePullRequest'];
  merge: ScmRepository['mergePullRequest'];
  ensureLabels: ScmRepository['ensureLabels'];
}

/** The part of a plugin for the commit statuses of a repository. */
interface StatusMethods {
  ensure: ScmRepository['ensureCommitStatus'];
  list: ScmRepository['listCommitStatuses'];
}

/** The part of a plugin for reviewers and comments of pull requests. */
interface DiscussionMethods {
  ensureReviewers: NonNullable<ScmRepository['ensureReviewers']>;
  ensureComment: NonNullable<ScmRepository['ensureComment']>;
}

/**
 * Returns the name and the addresses of a repository.
 *
 * @param home its page
 * @param pages path after `home` of the pages of a commit and of a pull request
 */
export function addressMethods(
  fullName: string,
  home: string,
  pages: { commit: string; pullRequest: string },
) {
  return {
    fullName,
    cloneUrl: `${home}.git`,
    webUrl(target) {
      if (target === undefined) return home;
      return 'commit' in target
        ? `${home}/${pages.commit}/${target.commit}`
        : `${home}/${pages.pullRequest}/${target.pullRequest}`;
    },
  } satisfies Partial<ScmRepository>;
}

/** Returns the methods of a repository for pull requests. */
export function pullRequestMethods(pulls: PullRequestMethods) {
  return {
    findPullRequests: (query, options) => pulls.find(query, options),
    getPullRequest: (id, options) => pulls.get(id, options),
    createPullRequest: (request, options) => pulls.create(request, options),
    updatePullRequest: (id, change, options) => pulls.update(id, change, options),
    closePullRequest: (id, options) => pulls.close(id, options),
    mergePullRequest: (id, merge, options) => pulls.merge(id, merge, options),
    ensureLabels: (id, change, options) => pulls.ensureLabels(id, change, options),
  } satisfies Partial<ScmRepository>;
}

/** Returns the methods of a repository for commit statuses. */
export function statusMethods(statuses: StatusMethods) {
  return {
    ensureCommitStatus: (status, options) => statuses.ensure(status, options),
    listCommitStatuses: (sha, options) => statuses.list(sha, options),
  } satisfies Partial<ScmRepository>;
}

/** Returns the methods of a repository for reviewers and comments. */
export function discussionMethods(discussion: DiscussionMethods) {
  return {
    ensureReviewers: (id, logins, options) => discussion.ensureReviewers(id, logins, options),
    ensureComment: (id, comment, options) => discussion.ensureComment(id, comment, options),
  } satisfies Partial<ScmRepository>;
}
