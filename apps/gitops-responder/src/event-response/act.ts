import type { EventResponse } from '@interlock/api';
import type { ActContext } from '@interlock/kube';
import type { Decision, Observed, ResponseOutcome } from './observed.js';
import { closeRequest, readRequest } from './pull-request.js';
import type { Responder } from './responder.js';
import { runAttempt } from './run-attempt.js';

/** Applies a decision about a response. Refusals of the SCM are part of the outcome, and are not thrown. */
export async function actOnResponse(
  responder: Responder,
  decision: Decision,
  observed: Observed,
  context: ActContext<EventResponse>,
): Promise<ResponseOutcome | undefined> {
  switch (decision.type) {
    case 'attempt':
      return runAttempt(responder, observed, decision, context);
    case 'follow':
      return readRequest(responder, observed.response, context);
    case 'close':
      return closeRequest(responder, observed.response, context);
    case 'none':
    case 'wait':
    case 'finish':
      return undefined;
  }
}
