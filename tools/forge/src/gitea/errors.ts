import type { Reason } from '../domain/refusal.js';
import type { Denials } from '../rest/in-repository.js';

/** An error response of Gitea. */
export class GiteaError extends Error {
  override readonly name = 'GiteaError';

  constructor(
    readonly status: number,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

export function notFound(): GiteaError {
  return new GiteaError(404, "The target couldn't be found.");
}

export const denials: Denials = {
  hidden: notFound,
  forbidden: () => new GiteaError(403, 'user should have a permission to write to the repository'),
  archived: ({ name }) => new GiteaError(423, `${name} is archived`),
};

/** Returns the error response of Gitea for a refusal. */
export function errorOf(reason: Reason): GiteaError {
  switch (reason.code) {
    case 'NotFound':
    case 'HeadMissing':
    case 'BaseMissing':
    case 'CommitMissing':
    case 'BranchMissing':
      return notFound();
    case 'HookUrlRefused':
      return new GiteaError(422, 'Invalid url');
    case 'AlreadyExists':
      return new GiteaError(409, `${reason.resource} already exists`);
    case 'NoCommits':
    case 'NoCommonHistory':
      return new GiteaError(422, 'Invalid PullRequest: There are no changes between the head and the base');
    case 'PullRequestExists':
      return new GiteaError(409, `pull request already exists for these targets [head: ${reason.head}]`);
    case 'CannotReopen':
      return new GiteaError(412, reason.why);
    case 'NotMergeable':
      return new GiteaError(405, 'Please try again later');
    case 'Draft':
      return new GiteaError(405, 'Work in progress PRs cannot be merged');
    case 'ChecksRequired':
      return new GiteaError(405, 'not ready to merge: Not all required status checks successful');
    case 'ReviewsRequired':
      return new GiteaError(405, 'not ready to merge: Does not have enough approvals');
    case 'Behind':
      return new GiteaError(405, 'not ready to merge: The head branch is behind the base branch');
    case 'MethodNotAllowed':
      return new GiteaError(
        405,
        `${reason.method} is not allowed an allowed merge style for this repository`,
      );
    case 'HeadMoved':
      return new GiteaError(409, 'head out of date');
    case 'BaseMoved':
      return new GiteaError(409, 'merge push out of date');
    default:
      return new GiteaError(422, reason.code);
  }
}
