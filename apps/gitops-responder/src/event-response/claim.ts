import type { EventResponse } from '@interlock/api';

/** The action that this responder takes. */
export const claimedAction = 'GitOpsChange';

/**
 * @returns whether a response is this responder's: its action is GitOpsChange, and it names the responder.
 * One that names nobody is nobody's, so that several responders never take the same.
 */
export function isClaimed({ spec }: EventResponse, responderName: string): boolean {
  return spec.action.type === claimedAction && spec.responder.name === responderName;
}

/** @returns whether the phase is one that a response keeps, apart from a pull request that is rejected later. */
export function isFinal({ status }: EventResponse): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' || status?.phase === 'Cancelled';
}
