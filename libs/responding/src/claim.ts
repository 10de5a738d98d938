import type { EventResponse, SecurityEvent } from '@interlock/api';
import { quoted } from './problem.js';

/** The type of action of this kind of responder. */
export const gitOpsChange = 'GitOpsChange';
export const defaultResponderName = 'ugallu-gitops-responder';

/**
 * Returns why this responder does not handle a response, as a sentence; undefined if it handles the response.
 * @param responderName the name of this responder.
 */
export function notClaimed({ spec }: EventResponse, responderName: string): string | undefined {
  const { action, responder } = spec;
  if (action.type !== gitOpsChange)
    return `its action is ${quoted(action.type)}; this responder handles only ${gitOpsChange}`;
  const name = responder.name ?? '';
  if (name === responderName) return undefined;
  return `it is for the responder ${quoted(name)}, not for ${quoted(responderName)}`;
}

/**
 * Returns why the event of a response is missing, as a sentence: without it, the response is not routed. Undefined if
 * it is present, or if the response does not name one.
 * @param event the event with the name in the response; undefined if there is none.
 */
export function missingEvent({ spec }: EventResponse, event: SecurityEvent | undefined): string | undefined {
  const { name = '', uid = '' } = spec.securityEventRef ?? {};
  if (name === '') return undefined;
  if (event === undefined) return `SecurityEvent ${name} does not exist`;
  if (uid === '' || uid === event.metadata.uid) return undefined;
  return `SecurityEvent ${name} does not have the uid ${uid}`;
}
