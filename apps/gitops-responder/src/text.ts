import { messageOf } from '@interlock/api';
import { redactText, truncate } from '@interlock/base';

/** Maximum length of the message of the SCM in a note about a step that it refused. */
export const maxNote = 512;

/** Returns the message of an error for a status, an Event or a trace, without secrets, and cut to a maximum length. */
export function describeError(error: unknown, max: number): string {
  return truncate(redactText(messageOf(error)), max);
}
