import type { CommitStatusPhase } from '@interlock/api';
import type { Clock } from '@interlock/base';
import type { Dispatcher } from 'undici';
import type { CallOptions } from './call-options.js';
import type { RepositoryContents } from './contents.js';
import type { Governor, GovernorOptions } from './governor/governor.js';
import type { ScmMetrics } from './metrics.js';
import type { WebhookReceiver } from './webhook.js';

/** One kind of SCM. To add one: write this, and name it where the registry is made. */
export interface ScmPlugin {
  /** The field of ScmProvider.spec and GitRepository.spec that selects it, such as `github`. */
  readonly name: string;
  readonly webhook: WebhookReceiver;
  /**
   * Returns the origins, such as `https://git.example.com`, that a provider stands for: first the server that it names, which
   * has to be an allowed host, then those that belong to it, such as that of its API. Its credential goes to these only.
   *
   * @throws TypedError `Invalid` naming the field of the section.
   */
  origins(section: unknown): readonly string[];
  /**
   * Makes an account usable. Cheap, and no call: what is worth keeping (connections, tokens, limits) is shared between
   * all connections with the same credential, so that one can be made for every reconcile.
   *
   * @throws TypedError `Invalid` naming the field of the section, `Unauthorized` naming the key of the Secret.
   */
  connect(connection: ScmConnection, context: ScmContext): Scm;
}

/** An account, as its resource and its Secret describe it. */
export interface ScmConnection {
  /** The ScmProvider, or the ClusterScmProvider, whose namespace is empty; for metrics and messages. */
  provider: { kind: string; namespace: string; name: string };
  /** The plugin's section of the spec. */
  section: unknown;
  /** The data of the Secret, decoded. */
  secret: Readonly<Record<string, string>>;
  /** The names of keys in the Secret itself, where {@link ScmConnection.secret} has them by other names; for messages. */
  secretKeys?: Readonly<Record<string, string>> | undefined;
}

/** What a process does at an SCM: files and git; pull requests and merges; commit statuses. */
export type ScmUse = 'contents' | 'pullRequests' | 'statuses';

/** What the process gives to plugins. */
export interface ScmContext {
  /** What the process does; a plugin that can make credentials of less power makes them for that. */
  readonly uses: readonly ScmUse[];
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly metrics: ScmMetrics;
  /** Milliseconds that one HTTP exchange may take, its body included. */
  readonly timeoutMs: number;
  /** The governor of a credential; the same key gives the same one. The key holds no secret in the clear. */
  governor(key: string, limits: GovernorLimits): Governor;
  /** The connections to one of {@link ScmPlugin.origins}. @throws TypedError `Unauthorized` for any other. */
  dispatcher(origin: string): Dispatcher;
}

export type GovernorLimits = Omit<GovernorOptions, 'clock' | 'random'>;

export interface Scm {
  readonly capabilities: ScmCapabilities;
  /** @throws TypedError `Invalid` naming the field when the section is not one of a repository of this SCM. */
  repository(repository: RepositoryRef): ScmRepository;
  /** Who pull requests and merges of this account are attributed to, as in {@link PullRequestInfo.mergedBy}. */
  login(options?: CallOptions): Promise<string>;
}

export interface ScmCapabilities {
  /** Commit statuses keep a text of any length and their own page at the SCM. */
  readonly richStatuses: boolean;
  /** Pull requests can be created as drafts. */
  readonly drafts: boolean;
}

/** A GitRepository. */
export interface RepositoryRef {
  namespace: string;
  name: string;
  /** The plugin's section of the spec. */
  section: unknown;
}

/**
 * A repository, with the calls of which the `ensure…` functions are made. Every method rejects with a TypedError, or
 * with the reason of the signal. Nothing is remembered between calls but what the SCM itself declares unchanged.
 */
export interface ScmRepository {
  /** For people: `owner/name`. */
  readonly fullName: string;
  /** For git; holds no credential. Over HTTP, unless {@link onDisk}. */
  readonly cloneUrl: string;
  /** Whether {@link cloneUrl} is a folder of this machine (`file:`) that its operator lets the process use. */
  readonly onDisk?: boolean;
  /** Whether nothing may be pushed to it: a dry run. */
  readonly readOnly?: boolean;
  /** Files and commits through the API; absent: the plugin does not offer it. */
  readonly contents?: RepositoryContents | undefined;
  webUrl(target?: { commit: string } | { pullRequest: number }): string;
  /** Returns undefined when git needs none, and when {@link cloneUrl} is not at one of {@link ScmPlugin.origins}. */
  gitCredentials(options?: CallOptions): Promise<GitCredentials | undefined>;
  describe(options?: CallOptions): Promise<RepositoryInfo>;

  /** Pull requests inside the repository (none from forks), oldest first; at most 1,000 that match. */
  findPullRequests(query: PullRequestQuery, options?: CallOptions): Promise<PullRequestInfo[]>;
  /** The pull request, with `mergedBy`, `closedBy` and `mergeability`. @throws `NotFound`. */
  getPullRequest(id: number, options?: CallOptions): Promise<PullRequestInfo>;
  /**
   * @throws `Conflict` with reason `AlreadyExists` when one is open already; `Invalid` with reason `NoCommits` when
   *   there is nothing to merge, `BranchMissing` when a branch does not exist.
   */
  createPullRequest(request: NewPullRequest, options?: CallOptions): Promise<PullRequestInfo>;
  updatePullRequest(id: number, change: PullRequestChange, options?: CallOptions): Promise<PullRequestInfo>;
  closePullRequest(id: number, options?: CallOptions): Promise<PullRequestInfo>;
  /**
   * Merges exactly the commit `headSha`. That the base is still `base` is for {@link ensureMerged} to compare where the SCM
   * cannot.
   *
   * @throws `Conflict` with reason `HeadMoved`, `BaseMoved`, `MergeConflict`, `Blocked` (a rule of the repository is
   *   not met), `Behind` (the head must contain the base), `Retargeted` (it has another base), `NotOpen` or `NotMergeable`;
   *   `Permanent` with reason `MergeMethodNotAllowed`.
   */
  mergePullRequest(id: number, merge: MergeRequest, options?: CallOptions): Promise<MergeOutcome>;
  /**
   * Takes a pull request out of the merge queue that {@link mergePullRequest} has put it into. Absent: the SCM has no queues.
   *
   * @returns whether it was in it.
   */
  leaveMergeQueue?(id: number, options?: CallOptions): Promise<boolean>;
  /** Makes the pull request have the labels `add` and lack the labels `remove`; others stay. Returns whether it had to. */
  ensureLabels(id: number, change: LabelChange, options?: CallOptions): Promise<boolean>;
  /**
   * Asks people to review an open pull request, who are not asked yet; logins are the same in any case. Absent: the plugin does not offer it.
   *
   * @returns whether it had to.
   * @throws `Invalid` with reason `ReviewerUnknown` naming the logins that the SCM does not take; the others are asked.
   */
  ensureReviewers?(id: number, logins: readonly string[], options?: CallOptions): Promise<boolean>;
  /**
   * Makes a comment exist that has `marker` (a text without meaning in Markdown) in it. Absent: the plugin does not offer it.
   *
   * @returns whether it had to.
   */
  ensureComment?(id: number, comment: PullRequestComment, options?: CallOptions): Promise<boolean>;

  /**
   * Makes the status of that name on that commit be as described. A status that is so already is not sent again. A
   * finished one that has to go back is replaced.
   *
   * @returns ids at the SCM, for `status.plugin.<name of the plugin>`.
   */
  ensureCommitStatus(status: CommitStatusRequest, options?: CallOptions): Promise<CommitStatusIds>;
  /** The newest status of every name that was written with this kind of credential. */
  listCommitStatuses(sha: string, options?: CallOptions): Promise<CommitStatusInfo[]>;
}

export interface GitCredentials {
  username: string;
  password: string;
}

export interface RepositoryInfo {
  defaultBranch: string;
  /** Nothing can be written to it. */
  archived: boolean;
}

export interface PullRequestComment {
  marker: string;
  /** With the marker. */
  body: string;
}

export interface PullRequestQuery {
  /** Branch to merge; absent: any. */
  head?: string | undefined;
  /** Branch to merge into; absent: any. */
  base?: string | undefined;
  state: 'open' | 'all';
}

export interface NewPullRequest {
  /** Branch to merge. */
  head: string;
  /** Branch to merge into. */
  base: string;
  title: string;
  body: string;
  draft?: boolean | undefined;
}

export interface PullRequestChange {
  title?: string | undefined;
  body?: string | undefined;
}

export type MergeMethod = 'merge' | 'squash' | 'rebase';

export interface MergeRequest {
  /** The branch that it must be merged into. Users can change the base of a pull request at any time. */
  base: string;
  headSha: string;
  method: MergeMethod;
  commitTitle?: string | undefined;
  commitMessage?: string | undefined;
  /**
   * Whether the pull request was in the merge queue of its base before: when it is no longer in it, that is a `Conflict` with
   * reason `Dequeued`, and it is not put into it again.
   */
  queued?: boolean | undefined;
}

/** What a merge has come to: one of the two. */
export interface MergeOutcome {
  /** The commit on the base branch. */
  mergeSha?: string | undefined;
  /** The SCM merges it later, when its turn has come: where it waits, as a clause for users that stays the same. */
  queued?: string | undefined;
}

export interface LabelChange {
  add?: readonly string[];
  remove?: readonly string[];
}

/**
 * `unknown`: not known yet, or the SCM is still computing it. `blocked`: a rule of the repository is not met. `behind`: a rule
 * asks for a head that contains the base.
 */
export type Mergeability = 'mergeable' | 'conflicting' | 'blocked' | 'behind' | 'unknown';

export interface PullRequestInfo {
  id: number;
  /** For people. */
  url: string;
  title: string;
  body: string;
  state: 'open' | 'merged' | 'closed';
  draft: boolean;
  head: string;
  headSha: string;
  base: string;
  labels: string[];
  /** RFC 3339. */
  createdAt: string;
  /** RFC 3339. */
  updatedAt: string;
  mergeability: Mergeability;
  /** The commit on the base branch; of merged ones only. */
  mergeSha?: string | undefined;
  mergedBy?: string | undefined;
  closedBy?: string | undefined;
  /** The SCM's own id of the repository, which stays when the repository is renamed; absent: it has none. */
  repositoryId?: string | undefined;
}

export interface CommitStatusRequest {
  sha: string;
  /** Unique on the commit. */
  name: string;
  phase: CommitStatusPhase;
  description?: string | undefined;
  /** Where to read more; sent only when it is http or https. */
  url?: string | undefined;
  /** What the last call for this status returned. */
  previous?: CommitStatusIds | undefined;
}

export type CommitStatusIds = Readonly<Record<string, number>>;

export interface CommitStatusInfo {
  name: string;
  /** An SCM that knows fewer phases gives back the nearest. */
  phase: CommitStatusPhase;
  description: string;
  url?: string | undefined;
}
