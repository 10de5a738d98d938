import type { EventResponse, EventResponseStatus } from '@interlock/api';
import { notClaimed } from '@interlock/responding';

/**
 * @returns whether a response is this responder's: its action is GitOpsChange, and it names the responder.
 * One that names nobody is nobody's, so that several responders never take the same.
 */
export function isClaimed(response: EventResponse, responderName: string): boolean {
  return notClaimed(response, responderName) === undefined;
}

/** @returns whether the phase is one that a response keeps, apart from a pull request that is rejected later. */
export function isFinal({ status }: EventResponse): boolean {
  return isFinalPhase(status);
}

export function isFinalPhase(status: EventResponseStatus | undefined): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' || status?.phase === 'Cancelled';
}
