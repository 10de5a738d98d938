import type { EventResponse } from '@interlock/api';
import { notClaimed } from '@interlock/responding';

/**
 * Returns whether this responder handles a response: its action is GitOpsChange, and it names the responder. A response that
 * does not name one is never handled, so that several responders never handle the same response.
 */
export function isClaimed(response: EventResponse, responderName: string): boolean {
  return notClaimed(response, responderName) === undefined;
}

/** Returns whether the phase is final, apart from a pull request that is rejected later. */
export function isFinal({ status }: EventResponse): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' || status?.phase === 'Cancelled';
}

/** Returns whether an open pull request of a response is known. */
export function isOpen({ status }: EventResponse): boolean {
  const { state, number } = status?.changeRequest ?? {};
  return state === 'open' && number !== undefined;
}

/** Returns whether a user closed the pull request of a response without merging it. */
export function isRejected({ status }: EventResponse): boolean {
  return status?.stage === 'Rejected' && status.changeRequest?.number !== undefined;
}

/** Returns whether a response still depends on a configuration or a credential. */
export function isPending(response: EventResponse): boolean {
  const { phase, completedAt } = response.status ?? {};
  if (phase === 'Cancelled') return completedAt === undefined || isOpen(response);
  return !isFinal(response);
}
