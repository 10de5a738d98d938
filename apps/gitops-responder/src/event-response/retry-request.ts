import { annotations, type EventResponse } from '@interlock/api';
import { prefixOf } from '@interlock/base';
import { isOpen } from './claim.js';

const maxRequest = 256;

/**
 * Returns a response that is prepared for another attempt, if the annotation requests one since it failed or while it waits;
 * undefined otherwise. Its branch and its plan are kept. A pull request that a user closed is not opened again.
 */
export function retried(response: EventResponse): EventResponse | undefined {
  const { status } = response;
  const request = prefixOf(
    response.metadata.annotations?.[annotations.responseRetryRequestedAt] ?? '',
    maxRequest,
  );
  if (request === '' || request === status?.lastRetryRequest) return undefined;
  if (status === undefined || isOpen(response)) return undefined;
  const { phase, stage } = status;
  const isTriable = phase === undefined || phase === 'Pending' || phase === 'Running' || phase === 'Failed';
  if (!isTriable || stage === 'Rejected') return undefined;
  const { stage: _, completedAt, nextAttemptAt, waitingFor, error, outcome, ...kept } = status;
  return { ...response, status: { ...kept, phase: 'Pending', attempts: 0, lastRetryRequest: request } };
}
