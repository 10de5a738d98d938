import type { PullRequest, PullRequestStatus } from '@interlock/api';
import type { Source } from './observed.js';
import { repositoryMatchOf, type RepositoryMatch } from './repository-match.js';
import { idOf, isDeleted, isLeftOver, isWithdrawn } from './state.js';
import { isSent } from './text.js';

/** The read that a decision requires: of the pull request with a number, or no read if its view is known. */
export type RequiredRead = 'unread' | 'foreign' | { id: number; match: RepositoryMatch };

const resyncMs = 5 * 60_000;
/** A pull request that a user closed is rarely reopened, and webhooks report it. */
const reopenedMs = 30 * 60_000;

/**
 * Returns what has to be read of the pull request at the SCM. Pure; `now` in milliseconds since the epoch.
 *
 * @param asked whether something suggests that it changed
 */
export function requiredRead(
  pullRequest: PullRequest,
  { plugin, url }: Source,
  asked: boolean,
  now: number,
): RequiredRead {
  const { status } = pullRequest;
  /* The finalizer is removed first, whatever the state at the SCM. */
  if (isLeftOver(pullRequest)) return 'unread';
  const match = repositoryMatchOf(status, plugin, url);
  if (match === 'other') return 'foreign';
  const id = idOf(status, plugin);
  const isRequired = match === 'unknown' || needsRead(pullRequest, plugin, asked, now);
  return isRequired && id !== undefined ? { id, match } : 'unread';
}

/**
 * Returns whether the pull request has to be read before a decision: an open one can have changed at the SCM, and a closed
 * one can be opened again.
 */
export function needsRead(pullRequest: PullRequest, plugin: string, asked: boolean, now: number): boolean {
  const { spec, status } = pullRequest;
  if (idOf(status, plugin) === undefined || status === undefined) return false;
  if (status.state === 'closed') return asked || (isReopenable(pullRequest) && nextResync(status, now) <= 0);
  if (status.state !== 'open') return false;
  if (isDeleted(pullRequest) || spec.state === 'closed') return true;
  return asked || !isSent(pullRequest, 'unread') || nextResync(status, now) <= 0;
}

/** Returns whether a user closed a pull request that is required, so that reopening it withdraws the rejection. */
export function isReopenable(pullRequest: PullRequest): boolean {
  const { spec, status } = pullRequest;
  return status?.state === 'closed' && !isWithdrawn(pullRequest, 'unread') && spec.state === 'open';
}

/** Returns the milliseconds until a pull request that is open, or may be reopened, is read again. */
export function nextResync(status: PullRequestStatus | undefined, now: number): number {
  const checkedAt = status?.checkedAt === undefined ? 0 : Date.parse(status.checkedAt);
  return checkedAt + (status?.state === 'closed' ? reopenedMs : resyncMs) - now;
}
