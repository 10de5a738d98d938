import { messageOf } from '@interlock/api';
import { redactText } from '@interlock/service';

/** @returns text of at most `max` UTF-16 units; what is cut off leaves an ellipsis. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  /* Half of a surrogate pair is no Unicode: the API server would store another text. */
  return `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** @returns the message of an error, for a status, an Event or a trace: without secrets, and cut. */
export function toldOf(error: unknown, max: number): string {
  return cut(redactText(messageOf(error)), max);
}
