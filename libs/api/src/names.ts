/**
 * Every label, annotation, finalizer, condition, reason and field manager of the project. Nothing else in the
 * repository spells one out.
 */

export const promoterGroup = 'promoter.argoproj.io';
export const commitStatusGroup = 'commit-status.argoproj.io';

export const labels = {
  /** On a CommitStatus: the key by which strategies refer to it. */
  commitStatusKey: `${commitStatusGroup}/key`,
  /** On children of a PromotionStrategy: its name. */
  promotionStrategy: `${promoterGroup}/promotion-strategy`,
  /** On ProposedCommits, PullRequests and RevertCommits: the environment branch, made fit for a label. */
  activeBranch: `${promoterGroup}/active-branch`,
} as const;

export const annotations = {
  /** On a GitRepository, PromotionStrategy or ProposedCommit: a change of the value asks for a look at the remote. */
  refreshedAt: `${promoterGroup}/refreshedAt`,
  /** The proposal's other spelling of {@link annotations.refreshedAt}; read, never written. */
  refreshedAtProposal: 'promotor.argoproj.io/refreshedAt',
  /** Next to refreshedAt on a GitRepository: when a webhook told of a pull request, so that these are looked at too. */
  pullRequestEventAt: `${promoterGroup}/pullRequestEventAt`,
  /** On a CommitStatus: its commit, and since when nothing proposes or runs that; `<sha> <RFC 3339>`. */
  unusedSince: `${commitStatusGroup}/unused-since`,
} as const;

export const finalizers = {
  /** Closes the pull request at the SCM before its PullRequest goes away. */
  pullRequest: `${promoterGroup}/pull-request`,
} as const;

export const fieldManagers = {
  promoter: 'promoter',
  commitStatusSync: 'commit-status-sync',
} as const;

/** Condition types. `Ready`, `Reconciling` and `Stalled` are kstatus'. */
export const conditions = {
  ready: 'Ready',
  reconciling: 'Reconciling',
  stalled: 'Stalled',
  /** PromotionStrategy, ProposedCommit: everything proposed is active; otherwise what it waits for. */
  promoted: 'Promoted',
  /** ProposedCommit: the environment branch has commits that no promotion made. */
  drifted: 'Drifted',
  /** ProposedCommit, RevertCommit: a person closed the pull request of this hydrated commit. */
  rejected: 'Rejected',
  /** RevertCommit: the environment has the content of the target; otherwise what it waits for. */
  reverted: 'Reverted',
  /** PromotionStrategy: an environment fails, and the policy does not let it be reverted. */
  revertBlocked: 'RevertBlocked',
} as const;

/** The key of the CommitStatus in which the promoter publishes order, direction and health of the environments before. */
export const promotionStatusKey = 'promotion';
