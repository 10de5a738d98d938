import { timestampOf, type PullRequest, type PullRequestStatus } from '@interlock/api';
import { prefixOf } from '@interlock/base';

/** The result of a merge that the SCM refused or queued. */
export type PendingMerge = NonNullable<PullRequestStatus['merge']>;

/** The response of the SCM. */
export type MergeAnswer = Pick<PendingMerge, 'sha' | 'state' | 'reason' | 'message'>;

const baseMs = 30_000;
const maxMs = 30 * 60_000;
const maxReason = 64;
/** The reason of the SCM plugins for a pull request that is no longer in its merge queue. */
const dequeued = 'Dequeued';
const maxMessage = 1024;

/**
 * Returns the record of a merge that the SCM refused or queued; the time between two attempts doubles, up to half an hour.
 * Pure; `now` in milliseconds since the epoch.
 */
export function pendingMerge(
  before: PendingMerge | undefined,
  { sha, state, reason, message }: MergeAnswer,
  now: number,
): PendingMerge {
  /* A pull request that a queue drops repeatedly must not be added to it at once each time. */
  const isOne = before?.state === state || before?.reason === dequeued || reason === dequeued;
  const known = before?.sha === sha && isOne ? before : undefined;
  const attempts = (known?.attempts ?? 0) + 1;
  const isSame = known?.reason === reason;
  return {
    sha,
    state,
    reason: prefixOf(reason, maxReason),
    message: prefixOf(message, maxMessage),
    since: isSame ? known.since : timestampOf(now),
    attempts,
    retryAt: timestampOf(now + Math.min(maxMs, baseMs * 2 ** Math.min(attempts - 1, 16))),
  };
}

/** Returns the milliseconds until a refused merge is requested again; 0 for now. Pure. */
export function untilNextAttempt({ spec, status }: PullRequest, now: number): number {
  const pending = status?.merge;
  if (pending === undefined || pending.sha !== spec.merge?.sha) return 0;
  return Math.max(0, Date.parse(pending.retryAt) - now);
}
