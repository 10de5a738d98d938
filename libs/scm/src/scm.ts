import type { CommitStatusPhase } from '@interlock/api';
import type { Clock } from '@interlock/base';
import type { Dispatcher } from 'undici';
import type { CallOptions } from './call-options.js';
import type { RepositoryContents } from './contents.js';
import type { Governor, GovernorOptions } from './governor/governor.js';
import type { ScmMetrics } from './metrics.js';
import type { WebhookReceiver } from './webhook.js';

/**
 * One kind of SCM. To add one, implement this interface and add it where the registry is created. A plugin object belongs
 * to one registry: it may cache credentials, which use the clock and the governors of that registry.
 */
export interface ScmPlugin {
  /** The field of ScmProvider.spec and GitRepository.spec that selects the plugin, such as `github`. */
  readonly name: string;
  readonly webhook: WebhookReceiver;
  /**
   * Returns the origins of a provider, such as `https://git.example.com`: first the server that it names, which has
   * to be an allowed host, then the servers that belong to it, such as the server of its API. The credential of the
   * provider is sent to these origins only.
   *
   * @throws TypedError `Invalid` naming the field of the section.
   */
  origins(section: unknown): readonly string[];
  /**
   * Connects an account. It is cheap and makes no calls: connections, tokens and limits are shared between all
   * connections with the same credential, so that a connection can be created for every reconcile.
   *
   * @throws TypedError `Invalid` naming the field of the section, `Unauthorized` naming the key of the Secret.
   */
  connect(connection: ScmConnection, context: ScmContext): Scm;
}

/** An account, described by its resource and its Secret. */
export interface ScmConnection {
  /** The ScmProvider, or the ClusterScmProvider, whose namespace is empty; for metrics and messages. */
  provider: { kind: string; namespace: string; name: string };
  /** The plugin's section of the spec. */
  section: unknown;
  /** The data of the Secret, decoded. */
  secret: Readonly<Record<string, string>>;
  /** The names of keys in the Secret itself, if {@link ScmConnection.secret} uses other names; for messages. */
  secretKeys?: Readonly<Record<string, string>> | undefined;
}

/** The purposes of a process at an SCM: files and git; pull requests and merges; commit statuses. */
export type ScmUse = 'contents' | 'pullRequests' | 'statuses';

/** The context that the process provides to plugins. */
export interface ScmContext {
  /** The purposes of the process; a plugin that can create restricted credentials creates them for these. */
  readonly uses: readonly ScmUse[];
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly metrics: ScmMetrics;
  /** Milliseconds that one HTTP exchange may take, including its body. */
  readonly timeoutMs: number;
  /**
   * Returns the governor of a credential; the same key returns the same governor. The key does not contain a secret
   * in plain text.
   */
  governor(key: string, limits: GovernorLimits): Governor;
  /**
   * Returns the connections to one of {@link ScmPlugin.origins}. @throws TypedError `Unauthorized` for any other
   * origin.
   */
  dispatcher(origin: string): Dispatcher;
}

export type GovernorLimits = Omit<GovernorOptions, 'clock' | 'random'>;

export interface Scm {
  /** @throws TypedError `Invalid` naming the field when the section does not describe a repository of this SCM. */
  repository(repository: RepositoryRef): ScmRepository;
  /**
   * Returns the login that pull requests and merges of this account are attributed to, as in {@link
   * PullRequestInfo.mergedBy}.
   */
  login(options?: CallOptions): Promise<string>;
}

/** A GitRepository. */
export interface RepositoryRef {
  namespace: string;
  name: string;
  /** The plugin's section of the spec. */
  section: unknown;
}

/**
 * A repository, with the calls that the `ensure…` functions use. Every method rejects with a TypedError, or with the reason
 * of the signal. Nothing is cached between calls, except responses that the SCM itself declares unchanged.
 */
export interface ScmRepository {
  /** For messages: `owner/name`. */
  readonly fullName: string;
  /** The URL for git, without credentials; over HTTP, unless {@link onDisk}. */
  readonly cloneUrl: string;
  /** Whether {@link cloneUrl} is a folder of this machine (`file:`) that the operator allows. */
  readonly onDisk?: boolean;
  /** Whether pushes are refused, as in a dry run. */
  readonly readOnly?: boolean;
  /** Files and commits through the API; absent if the plugin does not support it. */
  readonly contents?: RepositoryContents | undefined;
  webUrl(target?: { commit: string } | { pullRequest: number }): string;
  /**
   * Returns the credentials for git; undefined when git does not need them, or when {@link cloneUrl} is not at one of
   * {@link ScmPlugin.origins}.
   */
  gitCredentials(options?: CallOptions): Promise<GitCredentials | undefined>;
  describe(options?: CallOptions): Promise<RepositoryInfo>;

  /** Returns pull requests inside the repository (none from forks), oldest first; at most 1,000 that match. */
  findPullRequests(query: PullRequestQuery, options?: CallOptions): Promise<PullRequestInfo[]>;
  /** Returns the pull request, with `mergedBy`, `closedBy` and `mergeability`. @throws `NotFound`. */
  getPullRequest(id: number, options?: CallOptions): Promise<PullRequestInfo>;
  /**
   * @throws `Conflict` with reason `AlreadyExists` when a pull request is already open; `Invalid` with reason
   *   `NoCommits` when there is nothing to merge, `BranchMissing` when a branch does not exist.
   */
  createPullRequest(request: NewPullRequest, options?: CallOptions): Promise<PullRequestInfo>;
  updatePullRequest(id: number, change: PullRequestChange, options?: CallOptions): Promise<PullRequestInfo>;
  closePullRequest(id: number, options?: CallOptions): Promise<PullRequestInfo>;
  /**
   * Merges exactly the commit `headSha`. {@link ensureMerged} compares the base if the SCM cannot.
   *
   * @throws `Conflict` with reason `HeadMoved`, `BaseMoved`, `MergeConflict`, `Blocked` (a rule of the repository is not
   *   met), `Behind` (the head must contain the base), `Retargeted` (it has another base), `NotOpen` or `NotMergeable`;
   *   `Permanent` with reason `MergeMethodNotAllowed`.
   */
  mergePullRequest(id: number, merge: MergeRequest, options?: CallOptions): Promise<MergeOutcome>;
  /**
   * Removes a pull request from the merge queue to which {@link mergePullRequest} added it. Absent if the SCM has no queues.
   *
   * @returns whether it was in the queue.
   */
  leaveMergeQueue?(id: number, options?: CallOptions): Promise<boolean>;
  /**
   * Ensures that the pull request has the labels `add` and not the labels `remove`; others are kept. Returns whether a
   * change was needed.
   */
  ensureLabels(id: number, change: LabelChange, options?: CallOptions): Promise<boolean>;
  /**
   * Requests reviewers for an open pull request, unless they are already requested; logins are compared ignoring case.
   * Absent if the plugin does not support it.
   *
   * @returns whether a change was needed.
   * @throws `Invalid` with reason `ReviewerUnknown` naming the logins that the SCM does not accept; the others are
   *   requested.
   */
  ensureReviewers?(id: number, logins: readonly string[], options?: CallOptions): Promise<boolean>;
  /**
   * Ensures a comment that contains `marker` (a text without meaning in Markdown). Absent if the plugin does not support it.
   *
   * @returns whether a change was needed.
   */
  ensureComment?(id: number, comment: PullRequestComment, options?: CallOptions): Promise<boolean>;

  /**
   * Ensures the status of that name on that commit. A status that matches already is not sent again. A finished status
   * that has to return to an earlier phase is replaced.
   *
   * @returns ids at the SCM, for `status.plugin.<name of the plugin>`.
   */
  ensureCommitStatus(status: CommitStatusRequest, options?: CallOptions): Promise<CommitStatusIds>;
  /** Returns the newest status of every name that was written with this kind of credential. */
  listCommitStatuses(sha: string, options?: CallOptions): Promise<CommitStatusInfo[]>;
}

export interface GitCredentials {
  username: string;
  password: string;
}

export interface RepositoryInfo {
  defaultBranch: string;
  /** Whether the repository is read-only at the SCM. */
  archived: boolean;
}

export interface PullRequestComment {
  marker: string;
  /** Text with the marker. */
  body: string;
}

export interface PullRequestQuery {
  /** Branch to merge; absent for any. */
  head?: string | undefined;
  /** Branch to merge into; absent for any. */
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
  /** The branch that the pull request must be merged into. Users can change the base of a pull request at any time. */
  base: string;
  headSha: string;
  method: MergeMethod;
  commitTitle?: string | undefined;
  commitMessage?: string | undefined;
  /**
   * Whether the pull request was in the merge queue of its base before: if it is no longer there, the result is a `Conflict`
   * with reason `Dequeued`, and it is not added again.
   */
  queued?: boolean | undefined;
}

/** The outcome of a merge: one of the two fields is set. */
export interface MergeOutcome {
  /** The commit on the base branch. */
  mergeSha?: string | undefined;
  /** Set if the SCM merges the pull request later: where it waits, as a clause for messages that does not change. */
  queued?: string | undefined;
}

export interface LabelChange {
  add?: readonly string[];
  remove?: readonly string[];
}

/**
 * `unknown`: not known yet, or the SCM is still computing it. `blocked`: a rule of the repository is not met. `behind`:
 * a rule requires a head that contains the base.
 */
export type Mergeability = 'mergeable' | 'conflicting' | 'blocked' | 'behind' | 'unknown';

export interface PullRequestInfo {
  id: number;
  /** URL for users. */
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
  /** The commit on the base branch; only for merged pull requests. */
  mergeSha?: string | undefined;
  mergedBy?: string | undefined;
  closedBy?: string | undefined;
  /** The SCM's own id of the repository, which does not change when the repository is renamed; absent if it has none. */
  repositoryId?: string | undefined;
}

export interface CommitStatusRequest {
  sha: string;
  /** Unique on the commit. */
  name: string;
  phase: CommitStatusPhase;
  description?: string | undefined;
  /** URL with details; sent only if it is http or https. */
  url?: string | undefined;
  /** The ids that the last call for this status returned. */
  previous?: CommitStatusIds | undefined;
}

export type CommitStatusIds = Readonly<Record<string, number>>;

export interface CommitStatusInfo {
  name: string;
  /** An SCM with fewer phases returns the nearest one. */
  phase: CommitStatusPhase;
  description: string;
  url?: string | undefined;
}
