/**
 * Every label, annotation, finalizer, condition, reason and field manager of the project. No other file spells one out.
 * The names of the runners are in `runners/names.ts`.
 */

export const promoterGroup = 'promoter.argoproj.io';
export const commitStatusGroup = 'commit-status.argoproj.io';
export const gatingGroup = 'gating.toolkit.fluxcd.io';
export const securityGroup = 'security.ugallu.io';

export const labels = {
  /** On a CommitStatus: the key by which PromotionStrategies refer to it. */
  commitStatusKey: `${commitStatusGroup}/key`,
  /** On children of a PromotionStrategy: the name of the strategy. */
  promotionStrategy: `${promoterGroup}/promotion-strategy`,
  /** On ProposedCommits, PullRequests and RevertCommits: the environment branch, shortened to a valid label value. */
  activeBranch: `${promoterGroup}/active-branch`,
  /** On CommitStatuses of a GateBinding: the name of the binding. */
  gateBinding: `${gatingGroup}/binding`,
  /** On every object that `npm start` creates in an existing cluster: the ID of the run. */
  demoRun: 'demo.interlock.dev/run',
  /** On objects that the charts install: {@link projectName}. */
  partOf: 'app.kubernetes.io/part-of',
  /** On objects that the charts install: the name of the app. */
  appName: 'app.kubernetes.io/name',
} as const;

/** The value of {@link labels.partOf}, and the category of every kind of the project. */
export const projectName = 'interlock';

export const annotations = {
  /** On a GitRepository, PromotionStrategy or ProposedCommit: a new value requests a refresh from the remote. */
  refreshedAt: `${promoterGroup}/refreshedAt`,
  /** The spelling of {@link annotations.refreshedAt} in the proposal. It is read, but never written. */
  refreshedAtProposal: 'promotor.argoproj.io/refreshedAt',
  /** On a GitRepository: when a webhook last reported a pull request, so that pull requests are refreshed too. */
  pullRequestEventAt: `${promoterGroup}/pullRequestEventAt`,
  /** On an EventResponse: a new value requests a refresh of its pull request. */
  responseRefreshedAt: `${securityGroup}/refreshed-at`,
  /** On an EventResponse: a new value requests another attempt, even after a failure. */
  responseRetryRequestedAt: `${securityGroup}/retry-requested-at`,
  /** On a CommitStatus: its commit, and since when no environment proposes or runs it; `<sha> <RFC 3339>`. */
  unusedSince: `${commitStatusGroup}/unused-since`,
  /**
   * On a GateOverride: the user who created it, and when (RFC 3339 with milliseconds). Only the admission webhook
   * writes them.
   */
  actor: `${gatingGroup}/actor`,
  requestedAt: `${gatingGroup}/requested-at`,
  /** On a GateOverride: the users who approved it (JSON list), and the annotation by which a user approves it. */
  approvedBy: `${gatingGroup}/approved-by`,
  approve: `${gatingGroup}/approve`,
  /** On a Gate or a GateKeeper: digest of the spec that the recorded author wrote. */
  actorOf: `${gatingGroup}/actor-of`,
  /** On a Flux source: names of the gates that hold it, separated by commas; and `all`, `any` or `oneOf`. */
  gates: `${gatingGroup}/gates`,
  require: `${gatingGroup}/require`,
  /** On a held object: the bindings that hold it, since when, at which revision, and the reason. */
  heldBy: `${gatingGroup}/held-by`,
  heldSince: `${gatingGroup}/held-since`,
  heldRevision: `${gatingGroup}/held-revision`,
  holdReason: `${gatingGroup}/reason`,
  /**
   * On a held object: the field manager of a manifest that sets `suspend: false` or another pin, and when it last did
   * so.
   */
  heldAgainst: `${gatingGroup}/held-against`,
  /** On the namespace by which a run of `npm start` claims a cluster: its user, its process and the time of renewal. */
  demoUser: 'demo.interlock.dev/user',
  demoProcess: 'demo.interlock.dev/process',
  demoRenewedAt: 'demo.interlock.dev/renewed-at',
  /** On that namespace: `running`, or `kept` if the run has ended and its objects remain. */
  demoState: 'demo.interlock.dev/state',
} as const;

export const finalizers = {
  /** Closes the pull request at the SCM before the PullRequest is deleted. */
  pullRequest: `${promoterGroup}/pull-request`,
  /** Releases the objects that a GateBinding holds before the binding is deleted. */
  gateBinding: `${gatingGroup}/release`,
} as const;

/** The field managers of the writes of the apps: the names of the apps. */
export const fieldManagers = {
  promoter: 'promoter',
  commitStatusSync: 'commit-status-sync',
  gateController: 'gate-controller',
  gitopsResponder: 'gitops-responder',
  agc: 'agc',
  gmc: 'gmc',
} as const;

/** Condition types. `Ready`, `Reconciling` and `Stalled` are the condition types of kstatus. */
export const conditions = {
  ready: 'Ready',
  reconciling: 'Reconciling',
  stalled: 'Stalled',
  /** PromotionStrategy, ProposedCommit: true if everything proposed is active; otherwise it names what is awaited. */
  promoted: 'Promoted',
  /** ProposedCommit: the environment branch contains commits that no promotion created. */
  drifted: 'Drifted',
  /** ProposedCommit, RevertCommit: a user closed the pull request of this hydrated commit. */
  rejected: 'Rejected',
  /** RevertCommit: true if the environment has the content of the target; otherwise it names what is awaited. */
  reverted: 'Reverted',
  /** PromotionStrategy: an environment fails, and the policy does not allow a revert. */
  revertBlocked: 'RevertBlocked',
  /** Gate, GateBinding: true if open; otherwise it names what closes it. */
  open: 'Open',
  /** GateBinding: another field manager controls an object that it holds, such as a manifest with `suspend: false`. */
  conflict: 'Conflict',
  /** GateBinding: sources that belong together wait for different gates. */
  gateSkew: 'GateSkew',
  /** GateBinding: it holds the source that delivers the binding itself or one of its gates. */
  selfLockout: 'SelfLockout',
  /** EventResponse: true if a route of the configuration matches; otherwise it explains why none does. */
  routed: 'Routed',
  /** EventResponse: the files to change are known. */
  planned: 'Planned',
  /** EventResponse: true once the pull request has been opened; otherwise it names what is awaited. */
  submitted: 'Submitted',
  /** EventResponse: true if the pull request is merged, false if a user closed it. */
  merged: 'Merged',
  /** EventResponse: false while its pull request cannot be read; absent otherwise. */
  followed: 'Followed',
  /** EventResponse: false if the SCM refused labels or reviewers of the pull request; absent otherwise. */
  decorated: 'Decorated',
  /** EventResponse: false if the SCM refused a comment or the removal of the branch at a cancellation; absent otherwise. */
  cleanedUp: 'CleanedUp',
  /** GitOpsResponderConfig: every repository that its routes name is reachable with its credential. */
  providersReachable: 'ProvidersReachable',
} as const;

/**
 * The key of the CommitStatus in which the promoter publishes the order, direction and health of preceding
 * environments.
 */
export const promotionStatusKey = 'promotion';
