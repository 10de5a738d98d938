import type { CommitStatusPhase } from '@interlock/api';
import type { Scm, ScmRepository } from '../scm.js';
import type { FakeClock } from './fake-clock.js';

/** One implementation of the SCM interface, with an SCM behind it. */
export interface ContractHarness {
  name: string;
  /** A fresh SCM with an empty repository, whose default branch is `main`. */
  start(): Promise<ContractWorld>;
}

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
export type Target = 'createPullRequest' | 'mergePullRequest' | 'writeStatus' | 'readPullRequest';

/** The SCM behind the plugin, as a person or another program sees and changes it: not through the plugin. */
export interface ContractWorld {
  readonly clock: FakeClock;
  readonly scm: Scm;
  readonly repository: ScmRepository;
  /** Strings that must not be in any message. */
  readonly secrets: readonly string[];
  /** Puts a new commit on the branch, which is made when it does not exist. @returns the commit. */
  commit(branch: string): string;
  /** A person opens a pull request; from a fork when `fork` is set. @returns its id. */
  open(head: string, base: string, options?: { fork?: boolean; title?: string }): number;
  /** A person closes it. */
  close(id: number, person: string): void;
  /** A person merges it. */
  merge(id: number, person: string): void;
  /** The branches of the pull request can no longer be merged without a conflict. */
  conflict(id: number): void;
  /** Nothing may be merged into the branch without a successful status of that name. */
  protect(branch: string, status: string): void;
  /** Merges by this method are not allowed. */
  forbidMethod(method: 'merge' | 'squash' | 'rebase'): void;
  /** What is true at the SCM, of pull requests inside the repository. */
  pullRequests(): { id: number; state: string; title: string; body: string; labels: string[] }[];
  /** The newest status of a name on a commit, and how many writes led to it. */
  status(
    sha: string,
    name: string,
  ): { phase: CommitStatusPhase; description: string; writes: number } | undefined;
  /** The status of that name vanishes. */
  forgetStatus(sha: string, name: string): void;
  /** The next `times` requests of that kind meet the fault. */
  inject(target: Target, fault: Fault, times: number): void;
  /** Requests so far that changed something, or tried to. */
  writes(): number;
  stop(): Promise<void>;
}
