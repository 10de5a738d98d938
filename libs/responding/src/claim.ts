import type { EventResponse, SecurityEvent } from '@interlock/api';
import { quoted } from './problem.js';

/** The action that responders of this kind carry out. */
export const gitOpsChange = 'GitOpsChange';
export const defaultResponderName = 'ugallu-gitops-responder';

/**
 * Returns why a response is another's business, as a sentence; undefined: it is this responder's.
 * @param responderName of the responder that asks.
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
 * Returns why the event of a response is not known, as a sentence: without it, nothing is routed. Undefined: it is the
 * event, or the response names none.
 * @param event the one of the name that the response gives; undefined when there is none.
 */
export function missingEvent({ spec }: EventResponse, event: SecurityEvent | undefined): string | undefined {
  const { name = '', uid = '' } = spec.securityEventRef ?? {};
  if (name === '') return undefined;
  if (event === undefined) return `SecurityEvent ${name} does not exist`;
  if (uid === '' || uid === event.metadata.uid) return undefined;
  return `SecurityEvent ${name} does not have the uid ${uid}`;
}
