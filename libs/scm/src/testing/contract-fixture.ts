import type { CommitStatusPhase } from '@interlock/api';
import type { FakeClock } from '@interlock/base/testing';
import type { GitCredentials, MergeMethod, Scm, ScmRepository } from '../scm.js';

/** One implementation of the SCM interface, with an SCM behind it. */
export interface ContractHarness {
  name: string;
  /** What this SCM does not have; the suite then asserts what is so instead. */
  lacks?: readonly Lack[];
  /** Starts the SCM, for all tests of a file. */
  start(): Promise<void>;
  /** A repository with one commit on its default branch, `main`, and nothing else; for one test. */
  open(): Promise<ContractFixture>;
  stop(): Promise<void>;
}

/**
 * `rateLimits`: nobody counts requests. `credentials`: whoever reaches a repository may read it, without any. `contents`,
 * `reviewers`, `comments`: the plugin does not offer them. `upToDate`, `approvals`, `mergeQueue`, `headDeletion`: the SCM, or
 * the forge behind the suite, has no such rule.
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

/** What happens to a request. `cut` happens after the request has had its effect. */
export type Fault =
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'invalid'
  | 'serverError'
  | 'rateLimited'
  | 'secondaryLimit'
  | 'cut';

/** Which requests of the plugin a fault meets. */
export type Target =
  | 'createPullRequest'
  | 'mergePullRequest'
  | 'writeStatus'
  | 'readPullRequest'
  /** The request by which a commit comes to be on a branch that is made for it. */
  | 'commitFiles'
  | 'addComment';

/** A file as a person commits it; `160000` is a submodule, whose content is the commit, and a link's is where it leads. */
export interface WrittenFile {
  path: string;
  content: string | Buffer;
  /** Default `100644`. */
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

/** The SCM behind the plugin, as a person or another program sees and changes it: not through the plugin. */
export interface ContractFixture {
  readonly clock: FakeClock;
  readonly scm: Scm;
  readonly repository: ScmRepository;
  /** Login of the person, who may review. */
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
  /** A person opens a pull request. Returns its id. */
  open(head: string, base: string): Promise<number>;
  /** A person closes it. */
  closePullRequest(id: number): Promise<void>;
  /** A user gives it another base. */
  retarget(id: number, base: string): Promise<void>;
  /** A person merges it. */
  merge(id: number): Promise<void>;
  /** The base comes to differ from the head where the head differs from it. */
  conflict(id: number): Promise<void>;
  /**
   * Nothing may be merged into the branch without a successful status of that name.
   *
   * @returns what the refusal of a merge has to quote.
   */
  protect(branch: string, status: string): Promise<string>;
  /** Nothing may be merged into the branch whose head does not contain it. */
  requireUpToDate(branch: string): Promise<void>;
  /** Nothing may be merged into the branch that nobody has approved. */
  requireApproval(branch: string): Promise<void>;
  /** A user approves a pull request. */
  approve(id: number): Promise<void>;
  /** Pull requests into the branch are merged by a queue of the SCM only. */
  requireQueue(branch: string): Promise<void>;
  /** The turn of the first in that queue comes. Returns its number; undefined when nobody waits. */
  advanceQueue(branch: string): Promise<number | undefined>;
  /** The queue removes a pull request, as when the checks of its group fail. */
  dropFromQueue(id: number): Promise<void>;
  /** The SCM deletes the head branch of a pull request that is merged. */
  deleteMergedHeads(): Promise<void>;
  /** Merges by this method are not allowed. */
  forbidMethod(method: MergeMethod): Promise<void>;
  /** What is true at the SCM, oldest first. */
  pullRequests(): Promise<ShownPullRequest[]>;
  /** A person comments on a pull request. */
  comment(id: number, body: string): Promise<void>;
  /** The texts of the comments on a pull request, at most 200. */
  comments(id: number): Promise<string[]>;
  /** Logins of those who are asked to review a pull request. */
  reviewers(id: number): Promise<string[]>;
  /** The newest status of a name on a commit. */
  status(sha: string, name: string): Promise<ShownStatus | undefined>;
  /** The statuses of the commit are gone for the next call of the plugin that needs them. */
  loseStatuses(sha: string): void;
  /** The next `times` requests of the plugin of that kind meet the fault. */
  inject(target: Target, fault: Fault, times: number): void;
  /** Requests that it takes at the SCM to make an own status of phase `from` one of phase `to` with another text. */
  writesToChange(from: CommitStatusPhase, to: CommitStatusPhase): number;
  /** Requests of the plugin until now that changed something in the repository, or tried to. */
  writes(): number;
  close(): Promise<void>;
}

/** Milliseconds for a test that makes hundreds of calls. */
export const manyCallsMs = 120_000;

/** Returns what the cases of the suite see: the world of the current test. */
export type Current = () => ContractFixture;
