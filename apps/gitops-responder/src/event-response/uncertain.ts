import { conditions, type EventResponseStatus } from '@interlock/api';
import { getCondition } from '@interlock/kube';

/** The reason for which it is unknown whether a pull request is open, after a search that did not find one. */
export const notFoundReason = 'PullRequestNotFound';
/** How long after a search that found no pull request it is searched again; in milliseconds. */
export const searchAgainMs = 60_000;

/** Returns whether a pull request may be open that the status does not record. */
export function isUncertain(status: EventResponseStatus | undefined): boolean {
  return getCondition(status?.conditions, conditions.submitted)?.status === 'Unknown';
}

/**
 * Returns whether a pull request that is not found has to be searched again: nothing searches for it afterwards, and the first answer
 * of the server may be older than the pull request.
 */
export function isFirstSearch(status: EventResponseStatus | undefined): boolean {
  const submitted = getCondition(status?.conditions, conditions.submitted);
  return submitted?.status === 'Unknown' && submitted.reason !== notFoundReason;
}
