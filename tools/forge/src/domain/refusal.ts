/** The reason why the forge refuses a request. Each protocol reports it with the text of its provider. */
export type Reason =
  | PullRequestReason
  | GitReason
  | { code: 'NotFound' }
  | { code: 'HookUrlRefused' }
  | { code: 'AlreadyExists'; resource: string; field: string };

export type PullRequestReason =
  | { code: 'HeadMissing' }
  | { code: 'BaseMissing' }
  | { code: 'NoCommits'; base: string; head: string }
  | { code: 'NoCommonHistory'; base: string; head: string }
  | { code: 'PullRequestExists'; owner: string; head: string }
  | { code: 'CannotReopen'; why: string }
  | { code: 'NotMergeable' }
  | { code: 'Draft' }
  | { code: 'HeadMoved' }
  | { code: 'BaseMoved' }
  | { code: 'MethodNotAllowed'; method: 'merge' | 'squash' | 'rebase' }
  /** The base has a merge queue. */
  | { code: 'QueueRequired' }
  /** The pull request is in the merge queue already. */
  | { code: 'Queued' }
  | { code: 'ReviewsRequired'; count: number }
  | { code: 'Behind' }
  | { code: 'ChecksRequired'; message: string };

export type GitReason =
  | { code: 'MergeConflict' }
  | { code: 'CommitMissing'; sha: string }
  | { code: 'ReferenceExists' }
  /** A branch would be the folder of another. */
  | { code: 'ReferenceInTheWay' }
  | { code: 'ReferenceMissing' }
  | { code: 'ReferenceInvalid'; ref: string }
  | { code: 'ObjectMissing' }
  | { code: 'BranchMissing'; branch: string }
  | { code: 'TreeInvalid'; why: string }
  | { code: 'NotFastForward' }
  | { code: 'ProtectedBranch' }
  | { code: 'ContentMoved'; path: string; sha: string }
  | { code: 'ContentShaNeeded' };

/** A refusal by the rules of the forge, in contrast to a failure of the forge. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(readonly reason: Reason) {
    super(reason.code);
  }
}

/** @throws Refusal `NotFound` for undefined. */
export function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Refusal({ code: 'NotFound' });
  return value;
}
