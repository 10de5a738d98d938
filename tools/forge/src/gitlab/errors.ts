import type { Reason } from '../domain/refusal.js';
import type { Denials } from '../rest/in-repository.js';

/** An error response of GitLab. */
export class GitlabError extends Error {
  override readonly name = 'GitlabError';

  constructor(
    readonly status: number,
    /** The value of `message` in the body: a text, a list of texts, or texts by field. */
    readonly said: string | readonly string[] | Readonly<Record<string, readonly string[]>>,
    readonly headers: Record<string, string> = {},
  ) {
    super(JSON.stringify(said));
  }
}

/** A missing or malformed parameter, which GitLab reports as `error`. */
export class ParameterError extends Error {
  override readonly name = 'ParameterError';
}

export function notFound(what = ''): GitlabError {
  return new GitlabError(404, `404 ${what}${what === '' ? '' : ' '}Not Found`);
}

export const denials: Denials = {
  hidden: () => notFound('Project'),
  forbidden: () => new GitlabError(403, '403 Forbidden'),
  archived: () => new GitlabError(403, '403 Forbidden'),
};

/** Returns the error response of GitLab for a refusal. */
export function errorOf(reason: Reason): GitlabError {
  switch (reason.code) {
    case 'NotFound':
      return notFound();
    case 'HookUrlRefused':
      return new GitlabError(422, 'Invalid url given');
    case 'AlreadyExists':
      return new GitlabError(409, `${reason.resource} already exists`);
    case 'HeadMissing':
      return new GitlabError(400, { source_branch: ['does not exist'] });
    case 'BaseMissing':
      return new GitlabError(400, { target_branch: ['does not exist'] });
    case 'NoCommits':
    case 'NoCommonHistory':
      return reason.head === reason.base
        ? new GitlabError(422, ["You can't use same project/branch for source and target"])
        : new GitlabError(400, { base: ['has no commits to merge'] });
    case 'PullRequestExists':
      return new GitlabError(409, ['Another open merge request already exists for this source branch']);
    case 'CannotReopen':
      return new GitlabError(422, reason.why);
    case 'NotMergeable':
    case 'Draft':
    case 'ChecksRequired':
    case 'ReviewsRequired':
    case 'Behind':
    case 'QueueRequired':
    case 'MethodNotAllowed':
      return new GitlabError(405, '405 Method Not Allowed');
    case 'HeadMoved':
      return new GitlabError(409, 'SHA does not match HEAD of source branch');
    case 'Queued':
      return new GitlabError(400, 'Failed to create the train car');
    case 'BaseMoved':
    case 'MergeConflict':
      return new GitlabError(422, 'Branch cannot be merged');
    case 'CommitMissing':
      return notFound('Commit');
    case 'BranchMissing':
      return notFound('Branch');
    case 'ProtectedBranch':
      return new GitlabError(403, '403 Forbidden');
    case 'ReferenceExists':
      return new GitlabError(400, 'Branch already exists');
    default:
      return new GitlabError(400, reason.code);
  }
}
