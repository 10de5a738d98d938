import type { CommitStatusPhase } from '@interlock/api';
import type { FakeClock } from '@interlock/base/testing';
import type { GitCredentials, MergeMethod, Scm, ScmRepository } from '../scm.js';

/** One implementation of the SCM interface, with an SCM behind it. */
export interface ContractHarness {
  name: string;
  /** Features that this SCM lacks; the suite then asserts the alternative. */
  lacks?: readonly Lack[];
  /** Starts the SCM, for all tests of a file. */
  start(): Promise<void>;
  /** Returns a repository with one commit on its default branch, `main`, and nothing else; for one test. */
  open(): Promise<ContractFixture>;
  stop(): Promise<void>;
}

/**
 * `rateLimits`: requests are not limited. `credentials`: any client that reaches a repository may read it without
 * credentials. `contents`, `reviewers`, `comments`: the plugin does not support them. `upToDate`, `approvals`, `mergeQueue`,
 * `headDeletion`: the SCM, or the forge behind the suite, has no such rule.
 */
export type Lack =
  | 'rateLimits'
  | 'credentials'
  | 'contents'
  | 'reviewers'
  | 'comments'
  | 'upToDate'
  | 'approvals'
  | 'mergeQueue'
  | 'headDeletion';

/** The fault of a request. `cut` occurs after the request has had its effect. */
export type Fault =
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'invalid'
  | 'serverError'
  | 'rateLimited'
  | 'secondaryLimit'
  | 'cut';

/** The requests of the plugin that a fault affects. */
export type Target =
  | 'createPullRequest'
  | 'mergePullRequest'
  | 'writeStatus'
  | 'readPullRequest'
  /** The request that adds a commit to a new branch. */
  | 'commitFiles'
  | 'addComment';

/**
 * A file as a user commits it. The content of a submodule (`160000`) is its commit, and the content of a link is its
 * target.
 */
export interface WrittenFile {
  path: string;
  content: string | Buffer;
  /** Default: `100644`. */
  mode?: '100644' | '100755' | '120000' | '160000';
}

export interface ShownPullRequest {
  id: number;
  state: 'open' | 'merged' | 'closed';
  title: string;
  body: string;
  labels: string[];
}

export interface ShownStatus {
  phase: CommitStatusPhase;
  description: string;
}

/** The SCM of the plugin, as a user or another program accesses it without the plugin. */
export interface ContractFixture {
  readonly clock: FakeClock;
  readonly scm: Scm;
  readonly repository: ScmRepository;
  /** Login of the user, who may review. */
  readonly user: string;
  /** Strings of the plugin's secret that must not be in any message. */
  readonly secrets: readonly string[];
  /** The bare repository behind the SCM, for git. */
  readonly path: string;
  /** Returns whether git may read the repository at that URL with these credentials, or with none. */
  gitReads(cloneUrl: string, credentials?: GitCredentials): Promise<boolean>;
  /** Puts a new commit on the branch, which is made from `main` when it does not exist. Returns the commit. */
  commit(branch: string): Promise<string>;
  /** Puts a commit with these files on the branch, which is made from `main` when it does not exist. Returns the commit. */
  write(branch: string, files: readonly WrittenFile[]): Promise<string>;
  /** Acts as a user who opens a pull request. Returns its id. */
  open(head: string, base: string): Promise<number>;
  /** Acts as a user who closes a pull request. */
  closePullRequest(id: number): Promise<void>;
  /** Acts as a user who changes the base of a pull request. */
  retarget(id: number, base: string): Promise<void>;
  /** Acts as a user who merges a pull request. */
  merge(id: number): Promise<void>;
  /** Makes the head and the base of a pull request conflict, by a change of the base. */
  conflict(id: number): Promise<void>;
  /**
   * Requires a successful status of that name for merges into the branch.
   *
   * @returns the text that the refusal of a merge has to quote.
   */
  protect(branch: string, status: string): Promise<string>;
  /** Requires heads that contain the branch for merges into it. */
  requireUpToDate(branch: string): Promise<void>;
  /** Requires an approval for merges into the branch. */
  requireApproval(branch: string): Promise<void>;
  /** Approves a pull request as a user. */
  approve(id: number): Promise<void>;
  /** Requires the merge queue of the SCM for the branch. */
  requireQueue(branch: string): Promise<void>;
  /**
   * Processes the first entry of the merge queue. Returns the number of its pull request; undefined when the queue is
   * empty.
   */
  advanceQueue(branch: string): Promise<number | undefined>;
  /** Removes a pull request from the queue, as when the checks of its group fail. */
  dropFromQueue(id: number): Promise<void>;
  /** Configures the SCM to delete the head branch of a merged pull request. */
  deleteMergedHeads(): Promise<void>;
  /** Forbids merges by this method. */
  forbidMethod(method: MergeMethod): Promise<void>;
  /** Returns the pull requests at the SCM, oldest first. */
  pullRequests(): Promise<ShownPullRequest[]>;
  /** Acts as a user who comments on a pull request. */
  comment(id: number, body: string): Promise<void>;
  /** Returns the texts of the comments on a pull request, at most 200. */
  comments(id: number): Promise<string[]>;
  /** Returns the logins of the requested reviewers of a pull request. */
  reviewers(id: number): Promise<string[]>;
  /** Returns the newest status of a name on a commit. */
  status(sha: string, name: string): Promise<ShownStatus | undefined>;
  /** Hides the statuses of the commit from the next call of the plugin that needs them. */
  loseStatuses(sha: string): void;
  /** Applies the fault to the next `times` requests of that kind that the plugin makes. */
  inject(target: Target, fault: Fault, times: number): void;
  /** Returns the number of requests that the change of a status from phase `from` to `to` with another text needs. */
  writesToChange(from: CommitStatusPhase, to: CommitStatusPhase): number;
  /** Returns the number of requests of the plugin until now that changed the repository, or tried to. */
  writes(): number;
  close(): Promise<void>;
}

/** Milliseconds for a test that makes hundreds of calls. */
export const manyCallsMs = 120_000;

/** Returns the fixture of the current test. */
export type Current = () => ContractFixture;
