import type { GitReason, PullRequestReason, Reason } from '../domain/refusal.js';
import type { Denials } from '../rest/in-repository.js';

interface FieldError {
  resource: string;
  code: 'missing' | 'missing_field' | 'invalid' | 'already_exists' | 'unprocessable' | 'custom';
  field?: string;
  message?: string;
}

/** An error response of GitHub. */
export class GithubError extends Error {
  override readonly name = 'GithubError';

  constructor(
    readonly status: number,
    message: string,
    readonly details: {
      errors?: FieldError[];
      headers?: Record<string, string>;
      documentation?: string;
    } = {},
  ) {
    super(message);
  }
}

export const docs = 'https://docs.github.com/enterprise-server@3.17/rest';

export function notFound(): GithubError {
  return new GithubError(404, 'Not Found');
}

export function unprocessable(message: string): GithubError {
  return new GithubError(422, message);
}

export function validation(error: FieldError): GithubError {
  return new GithubError(422, 'Validation Failed', { errors: [error] });
}

export function custom(resource: string, message: string, field?: string): GithubError {
  return validation({ resource, code: 'custom', message, ...(field === undefined ? {} : { field }) });
}

export const denials: Denials = {
  hidden: notFound,
  forbidden({ installation }) {
    const of = installation === undefined ? 'personal access token' : 'integration';
    return new GithubError(403, `Resource not accessible by ${of}`);
  },
  archived: () => new GithubError(403, 'Repository was archived so is read-only.'),
};

/** Returns the error response of GitHub for a refusal. */
export function errorOf(reason: Reason): GithubError {
  switch (reason.code) {
    case 'NotFound':
      return notFound();
    case 'HookUrlRefused':
      return custom(
        'Hook',
        'url is not supported: this forge delivers to the loopback interface only',
        'url',
      );
    case 'AlreadyExists':
      return validation({ resource: reason.resource, code: 'already_exists', field: reason.field });
    case 'HeadMissing':
    case 'BaseMissing':
    case 'NoCommits':
    case 'NoCommonHistory':
    case 'PullRequestExists':
    case 'CannotReopen':
    case 'NotMergeable':
    case 'Draft':
    case 'HeadMoved':
    case 'BaseMoved':
    case 'MethodNotAllowed':
    case 'QueueRequired':
    case 'Queued':
    case 'ReviewsRequired':
    case 'Behind':
    case 'ChecksRequired':
      return pullRequestError(reason);
    default:
      return gitError(reason);
  }
}

function pullRequestError(reason: PullRequestReason): GithubError {
  const resource = 'PullRequest';
  switch (reason.code) {
    case 'HeadMissing':
      return validation({ resource, field: 'head', code: 'invalid' });
    case 'BaseMissing':
      return validation({ resource, field: 'base', code: 'invalid' });
    case 'NoCommits':
      return custom(resource, `No commits between ${reason.base} and ${reason.head}`);
    case 'NoCommonHistory':
      return custom(resource, `The ${reason.head} branch has no history in common with ${reason.base}`);
    case 'PullRequestExists':
      return custom(resource, `A pull request already exists for ${reason.owner}:${reason.head}.`);
    case 'CannotReopen':
      return custom(resource, `state cannot be changed. ${reason.why}`, 'state');
    case 'NotMergeable':
      return new GithubError(405, 'Pull Request is not mergeable');
    case 'Draft':
      return new GithubError(405, 'Pull Request is still a draft');
    case 'HeadMoved':
      return new GithubError(409, 'Head branch was modified. Review and try the merge again.');
    case 'BaseMoved':
      return new GithubError(405, 'Base branch was modified. Review and try the merge again.');
    case 'MethodNotAllowed':
      return new GithubError(405, `${mergeNames[reason.method]} are not allowed on this repository.`);
    case 'QueueRequired':
      return new GithubError(405, 'Changes must be made through the merge queue');
    case 'Queued':
      return unprocessable('Pull request is already in the queue');
    case 'ReviewsRequired':
      return new GithubError(405, reviewsRequired(reason.count));
    case 'Behind':
      return new GithubError(405, 'Head branch is out of date. Review and try the merge again.');
    case 'ChecksRequired':
      return new GithubError(405, reason.message);
  }
}

function gitError(reason: GitReason): GithubError {
  switch (reason.code) {
    case 'MergeConflict':
      return new GithubError(409, 'Merge conflict');
    case 'CommitMissing':
      return unprocessable(`No commit found for SHA: ${reason.sha}`);
    case 'ReferenceExists':
      return unprocessable('Reference already exists');
    case 'ReferenceInTheWay':
      return unprocessable('Reference update failed');
    case 'ReferenceMissing':
      return unprocessable('Reference does not exist');
    case 'ReferenceInvalid':
      return unprocessable(`${reason.ref} is not a valid ref name.`);
    case 'ObjectMissing':
      return unprocessable('Object does not exist');
    case 'BranchMissing':
      return new GithubError(404, `Branch ${reason.branch} not found`);
    case 'TreeInvalid':
      return unprocessable(reason.why);
    case 'NotFastForward':
      return unprocessable('Update is not a fast forward');
    case 'ProtectedBranch':
      return unprocessable(protectedBranch);
    case 'ContentMoved':
      return new GithubError(409, `${reason.path} does not match ${reason.sha}`);
    case 'ContentShaNeeded':
      return unprocessable('Invalid request.\n\n"sha" wasn\'t supplied.');
  }
}

export const protectedBranch =
  'Repository rule violations found\n\nChanges must be made through a pull request.\n\n';

function reviewsRequired(count: number): string {
  const reviews = count === 1 ? '1 approving review is' : `${count} approving reviews are`;
  return `At least ${reviews} required by reviewers with write access.`;
}

const mergeNames = { merge: 'Merge commits', squash: 'Squash merges', rebase: 'Rebase merges' };
