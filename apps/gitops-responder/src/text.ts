import { messageOf } from '@interlock/api';
import { truncate } from '@interlock/base';
import { redactText } from '@interlock/service';

/** Returns the message of an error for a status, an Event or a trace, without secrets, and cut to a maximum length. */
export function describeError(error: unknown, max: number): string {
  return truncate(redactText(messageOf(error)), max);
}
