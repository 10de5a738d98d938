import type { ObjectKey, PullRequest } from '@interlock/api';
import type { OrProblem } from '@interlock/base';
import type { PullRequestInfo, ScmRepository } from '@interlock/scm';

/**
 * The pull request at the SCM, as far as it is known. `unread`: its state in the status is assumed. `foreign`: the number in
 * the status belongs to a pull request of another repository, or to a pull request between other branches.
 */
export type ScmView = 'unread' | 'absent' | 'foreign' | PullRequestInfo;

/** The source of a status. */
export interface Source {
  /** Name of the SCM plugin. */
  plugin: string;
  /** Fields of the repository. */
  url: string;
}

/** The state of the repository of a PullRequest. */
export interface KnownRepository extends Source {
  /** Key of the GitRepository. */
  key: ObjectKey;
  /** The pull request, as far as it had to be read. */
  view: ScmView;
  /**
   * Whether the commit that a user closed and the proposed commit carry the same commit of the hydrator; false if nothing
   * depends on it.
   */
  isSameProposal: boolean;
}

/** What a decision about a PullRequest depends on. */
export interface ObservedPullRequest {
  pullRequest: PullRequest;
  /** Whether something suggests that it changed at the SCM, or can be merged now. */
  asked: boolean;
  repository: OrProblem<KnownRepository>;
}

/** An observed pull request whose repository is reachable. */
export interface ReachablePullRequest extends ObservedPullRequest {
  /** The repository from which it was observed; the GitRepository may name another one by now. Absent if it is unknown. */
  scm?: ScmRepository | undefined;
}
