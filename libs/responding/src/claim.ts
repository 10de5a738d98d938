import type { EventResponse, SecurityEvent } from '@interlock/api';
import { quoted } from './problem.js';

/** The action that responders of this kind carry out. */
export const gitOpsChange = 'GitOpsChange';
export const defaultResponderName = 'ugallu-gitops-responder';

/**
 * @param responderName of the responder that asks.
 * @returns why a response is another's business, as a sentence; undefined: it is this responder's.
 */
export function notClaimed({ spec }: EventResponse, responderName: string): string | undefined {
  const { action, responder } = spec;
  if (action.type !== gitOpsChange)
    return `its action is ${quoted(action.type)}; only ${gitOpsChange} is carried out here`;
  const name = responder.name ?? '';
  if (name === responderName) return undefined;
  return `it is for the responder ${quoted(name)}, not for ${quoted(responderName)}`;
}

/** @returns whether an event is the one that a response refers to, and not another one that has its name. */
export function isEventOf({ spec }: EventResponse, { metadata }: SecurityEvent): boolean {
  const { name = '', uid = '' } = spec.securityEventRef ?? {};
  if (name === '' && uid === '') return false;
  const isNamed = name === '' || name === metadata.name;
  return isNamed && (uid === '' || metadata.uid === undefined || uid === metadata.uid);
}
