import type { Commit } from '../git/commit.js';
import type { Account, CheckRun, CommitStatus, Hook, PullRequest, Repository, Review } from './model.js';

export type PullRequestAction =
  'opened' | 'edited' | 'synchronize' | 'closed' | 'reopened' | 'labeled' | 'unlabeled' | 'review_requested';

export interface PullRequestEvent {
  type: 'pullRequest';
  action: PullRequestAction;
  pull: PullRequest;
  /** What the head was and is, of `synchronize`. */
  moved?: { before: string; after: string };
  /** Of `labeled` and `unlabeled`. */
  label?: string;
  /** The values before, of `edited`. */
  changes?: { title?: { from: string }; body?: { from: string | null }; base?: { ref: { from: string } } };
}

export interface PushEvent {
  type: 'push';
  ref: string;
  /** Object before and after; all zeros where there was or is none. */
  before: string;
  after: string;
  /** Whether commits were thrown away. */
  forced: boolean;
  /** What the push brought, oldest first, the newest 100. */
  commits: Commit[];
}

/** Something that happened in a repository. */
export type ForgeEvent = { repository: Repository; sender: Account } & (
  | PushEvent
  | PullRequestEvent
  | { type: 'review'; pull: PullRequest; review: Review }
  | { type: 'checkRun'; action: 'created' | 'completed'; run: CheckRun }
  | { type: 'status'; status: CommitStatus }
  | { type: 'ping'; hook: Hook }
);

export type EventListener = (event: ForgeEvent) => void;
