import type { ObjectKey, PullRequest } from '@interlock/api';
import type { OrProblem } from '@interlock/base';
import type { PullRequestInfo, ScmRepository } from '@interlock/scm';

/**
 * What is known of the pull request at the SCM. `unread`: its state in the status is taken for true. `foreign`: the number in
 * the status belongs to a pull request of another repository, or to one that is not from our branch into our branch.
 */
export type ScmView = 'unread' | 'absent' | 'foreign' | PullRequestInfo;

/** Where a status comes from. */
export interface Source {
  /** Name of the SCM plugin. */
  plugin: string;
  /** Of the repository. */
  url: string;
}

/** What the repository of a PullRequest has. */
export interface KnownRepository extends Source {
  /** Of the GitRepository. */
  key: ObjectKey;
  /** The pull request, as far as it had to be read. */
  view: ScmView;
  /** What a user closed and what is proposed now carry on the same commit of the hydrator; false where nothing depends on it. */
  isSameProposal: boolean;
}

/** What a decision about a PullRequest depends on. */
export interface ObservedPullRequest {
  pullRequest: PullRequest;
  /** Something suggests that it changed at the SCM, or can be merged now. */
  asked: boolean;
  repository: OrProblem<KnownRepository>;
}

/** The same, with what an act needs. */
export interface ReachablePullRequest extends ObservedPullRequest {
  /**
   * The repository from which it was observed, which may not be the one that the GitRepository names by now. Absent when it is
   * not known.
   */
  scm?: ScmRepository | undefined;
}
