import type { EventResponse, EventResponseStatus } from '@interlock/api';
import { Failure, type Concluding, type Conclusion } from '@interlock/kube';
import { follow, missing, notFollowed } from './follow.js';
import type { Decision, Observed, ResponseOutcome } from './observed.js';
import { closed, notClosed, settle } from './settle.js';
import { StatusBuilder } from './status.js';

/** The spread of the reads of pull requests, so that they do not happen all at once after a start. */
const spread = 0.1;

/**
 * Returns the status after a decision was applied. Changes in a repository are facts, whatever other clients have written in
 * the meantime, so the new status is based on the current one. Pure; `now` in milliseconds since the epoch.
 */
export function concludeResponse(
  observed: Observed,
  decision: Decision,
  outcome: ResponseOutcome | Failure | undefined,
  now: number,
): Concluding<EventResponse> {
  switch (decision.type) {
    case 'none':
      return {};
    case 'wait':
      return { status: decision.status, requeueAfterMs: decision.requeueAfterMs };
    case 'finish':
      return { status: decision.status };
    default:
      /* The record of the attempt could not be written, so there is nothing to conclude. */
      if (outcome === undefined || outcome instanceof Failure) return {};
      return (current) => after(outcome, observed, decision, current, now);
  }
}

function after(
  outcome: ResponseOutcome,
  { maxAttempts, random }: Observed,
  decision: Decision,
  response: EventResponse,
  now: number,
): Conclusion<EventResponse> {
  const everyMs = decision.type === 'follow' ? decision.everyMs : 0;
  const requeueAfterMs = Math.round(everyMs * (1 + random * spread));
  switch (outcome.type) {
    case 'attempted': {
      const { mode, result, refused } = outcome;
      const settled = settle({ response, mode, result, maxAttempts }, now, random);
      if (result.type !== 'submitted' && result.type !== 'absent') return settled;
      const type = result.type === 'submitted' ? 'decorated' : 'cleanedUp';
      return { ...settled, status: withRefused(response, settled.status, type, refused, now) };
    }
    case 'tooLate':
      return { requeueAfterMs: 0 };
    case 'read':
      return { status: follow(response, outcome.request, now), requeueAfterMs };
    case 'notRead':
      return { status: notFollowed(response, outcome.error, now), requeueAfterMs };
    case 'missing':
      return { status: missing(response, now), requeueAfterMs };
    case 'closed':
      return {
        status: withRefused(
          response,
          closed(response, outcome.request, now),
          'cleanedUp',
          outcome.refused,
          now,
        ),
      };
    case 'notClosed':
      return notClosed(response, outcome.error, now, random);
  }
}

/** The reasons of the conditions for what the SCM refused. */
const refusedReasons = { decorated: 'NotDecorated', cleanedUp: 'NotCleanedUp' } as const;

/** Returns a status that reports what the SCM refused: events are gone after an hour. */
function withRefused(
  response: EventResponse,
  status: EventResponseStatus,
  type: keyof typeof refusedReasons,
  refused: readonly string[] = [],
  now: number,
): EventResponseStatus {
  const builder = new StatusBuilder({ ...response, status }, now);
  if (refused.length === 0) return builder.without(type).build();
  return builder.condition(type, 'False', refusedReasons[type], refused.join('; ')).build();
}
