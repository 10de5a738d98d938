import type { Commit } from '../git/commit.js';
import type { Account, CheckRun, CommitStatus, Hook, PullRequest, Repository, Review } from './model.js';

export type PullRequestAction =
  'opened' | 'edited' | 'synchronize' | 'closed' | 'reopened' | 'labeled' | 'unlabeled' | 'review_requested';

export interface PullRequestEvent {
  type: 'pullRequest';
  action: PullRequestAction;
  pull: PullRequest;
  /** The old and the new head, for `synchronize`. */
  moved?: { before: string; after: string };
  /** The label, for `labeled` and `unlabeled`. */
  label?: string;
  /** The previous values, for `edited`. */
  changes?: { title?: { from: string }; body?: { from: string | null }; base?: { ref: { from: string } } };
}

export interface PushEvent {
  type: 'push';
  ref: string;
  /** The object before and after the change; all zeros if the reference did not exist, or does not exist any more. */
  before: string;
  after: string;
  /** Whether commits were discarded. */
  forced: boolean;
  /** The newest 100 commits of the push, oldest first. */
  commits: Commit[];
}

/** An event in a repository. */
export type ForgeEvent = { repository: Repository; sender: Account } & (
  | PushEvent
  | PullRequestEvent
  | { type: 'review'; pull: PullRequest; review: Review }
  | { type: 'checkRun'; action: 'created' | 'completed'; run: CheckRun }
  | { type: 'status'; status: CommitStatus }
  | { type: 'ping'; hook: Hook }
);

export type EventListener = (event: ForgeEvent) => void;
