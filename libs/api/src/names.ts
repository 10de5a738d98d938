/**
 * Every label, annotation, finalizer, condition, reason and field manager of the project. Nothing else in the
 * repository spells one out. Those of the runners are in `runners/names.ts`.
 */

export const promoterGroup = 'promoter.argoproj.io';
export const commitStatusGroup = 'commit-status.argoproj.io';
export const gatingGroup = 'gating.toolkit.fluxcd.io';
export const securityGroup = 'security.ugallu.io';

export const labels = {
  /** On a CommitStatus: the key by which strategies refer to it. */
  commitStatusKey: `${commitStatusGroup}/key`,
  /** On children of a PromotionStrategy: its name. */
  promotionStrategy: `${promoterGroup}/promotion-strategy`,
  /** On ProposedCommits, PullRequests and RevertCommits: the environment branch, made fit for a label. */
  activeBranch: `${promoterGroup}/active-branch`,
  /** On CommitStatuses of a GateBinding: its name. */
  gateBinding: `${gatingGroup}/binding`,
  /** On everything that `npm start` creates in a cluster of the user's: the run. */
  demoRun: 'demo.interlock.dev/run',
  /** On what the charts install: {@link projectName}. */
  partOf: 'app.kubernetes.io/part-of',
  /** Next to it: the name of the app. */
  appName: 'app.kubernetes.io/name',
} as const;

/** The value of {@link labels.partOf}, and the category of every kind of the project. */
export const projectName = 'interlock';

export const annotations = {
  /** On a GitRepository, PromotionStrategy or ProposedCommit: a change of the value asks for a look at the remote. */
  refreshedAt: `${promoterGroup}/refreshedAt`,
  /** The proposal's other spelling of {@link annotations.refreshedAt}; read, never written. */
  refreshedAtProposal: 'promotor.argoproj.io/refreshedAt',
  /** Next to refreshedAt on a GitRepository: when a webhook told of a pull request, so that these are looked at too. */
  pullRequestEventAt: `${promoterGroup}/pullRequestEventAt`,
  /** On an EventResponse: a change of the value asks for a look at its pull request. */
  responseRefreshedAt: `${securityGroup}/refreshed-at`,
  /** On an EventResponse: a change of the value asks to try it anew, also when it has failed. */
  responseRetryRequestedAt: `${securityGroup}/retry-requested-at`,
  /** On a CommitStatus: its commit, and since when nothing proposes or runs that; `<sha> <RFC 3339>`. */
  unusedSince: `${commitStatusGroup}/unused-since`,
  /** On a GateOverride: the user who made it, and when (RFC 3339 with milliseconds); written by admission only. */
  actor: `${gatingGroup}/actor`,
  requestedAt: `${gatingGroup}/requested-at`,
  /** On a GateOverride: the users who approved it (JSON list); and how a user asks to be among them. */
  approvedBy: `${gatingGroup}/approved-by`,
  approve: `${gatingGroup}/approve`,
  /** On a Gate or a GateKeeper: digest of the spec that the actor wrote. */
  actorOf: `${gatingGroup}/actor-of`,
  /** On a source of Flux: names of gates, separated by commas, that hold it; and `all`, `any` or `oneOf`. */
  gates: `${gatingGroup}/gates`,
  require: `${gatingGroup}/require`,
  /** On an object that is held: the bindings that hold it, since when, at which revision, and why. */
  heldBy: `${gatingGroup}/held-by`,
  heldSince: `${gatingGroup}/held-since`,
  heldRevision: `${gatingGroup}/held-revision`,
  holdReason: `${gatingGroup}/reason`,
  /** Next to them: the field manager of a manifest that sets `suspend: false` or another pin, and when it last did. */
  heldAgainst: `${gatingGroup}/held-against`,
  /** On the namespace by which a run of `npm start` claims a cluster: its user, its process and its time of renewal. */
  demoUser: 'demo.interlock.dev/user',
  demoProcess: 'demo.interlock.dev/process',
  demoRenewedAt: 'demo.interlock.dev/renewed-at',
  /** On it: `running`, or `kept` when the run has ended and its objects stay. */
  demoState: 'demo.interlock.dev/state',
} as const;

export const finalizers = {
  /** Closes the pull request at the SCM before its PullRequest goes away. */
  pullRequest: `${promoterGroup}/pull-request`,
  /** Releases what a GateBinding holds before it goes away. */
  gateBinding: `${gatingGroup}/release`,
} as const;

export const fieldManagers = {
  promoter: 'promoter',
  commitStatusSync: 'commit-status-sync',
  gateController: 'gate-controller',
  gitopsResponder: 'gitops-responder',
  agc: 'agc',
  gmc: 'gmc',
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
  /** Gate, GateBinding: open; otherwise who closes it. */
  open: 'Open',
  /** GateBinding: somebody else decides over what it holds, such as a manifest with `suspend: false`. */
  conflict: 'Conflict',
  /** GateBinding: sources that belong together wait for different gates. */
  gateSkew: 'GateSkew',
  /** GateBinding: it holds the source that delivers it, or a gate of it. */
  selfLockout: 'SelfLockout',
  /** EventResponse: a route of the configuration matches; otherwise why none does. */
  routed: 'Routed',
  /** EventResponse: it is known which files change. */
  planned: 'Planned',
  /** EventResponse: the pull request is open, or was; otherwise what it waits for. */
  submitted: 'Submitted',
  /** EventResponse: the pull request is merged; false when somebody closed it. */
  merged: 'Merged',
  /** EventResponse: false while its pull request cannot be read; absent otherwise. */
  followed: 'Followed',
  /** GitOpsResponderConfig: every repository that its routes name can be reached with its credential. */
  providersReachable: 'ProvidersReachable',
} as const;

/** The key of the CommitStatus in which the promoter publishes order, direction and health of the environments before. */
export const promotionStatusKey = 'promotion';
