import type { EventResponse } from '@interlock/api';
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
