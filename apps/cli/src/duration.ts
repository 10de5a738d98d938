import { messageOf } from '@interlock/api';
import { parseDuration } from '@interlock/service';
import { usage } from './exit.js';

/**
 * Returns the ms of a duration on the command line.
 *
 * @throws Failure that names the flag, and what to write for days, which durations do not have.
 */
export function durationFlag(flag: string, text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
    if (days !== undefined)
      throw usage(`${flag} ${text}: there is no unit for days; write ${Number(days) * 24}h`);
    throw usage(`${flag}: ${messageOf(error)}`);
  }
}
