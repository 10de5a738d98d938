import { messageOf } from '@interlock/api';
import { parseDuration } from '@interlock/service';
import { usage } from './exit.js';

/**
 * Returns a duration of the command line in ms.
 *
 * @throws Failure that names the flag, and the spelling of days, for which there is no unit
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
