import { usage } from './exit.js';

/**
 * Returns an RFC 3339 time of the command line in ms since the epoch.
 *
 * @param label what the message about another text names: the text, with its flag
 * @throws Failure with the correction
 */
export function timeFlag(label: string, text: string, example: string): number {
  const [, date] = /^(\d{4}-\d\d-\d\d)T.*(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const time = date === undefined ? NaN : Date.parse(text);
  if (date === undefined || Number.isNaN(time))
    throw usage(`${label} is not a time; write ${timeExample(text, example)}`);
  /* Date.parse takes the 31st of November as the 1st of December. */
  if (new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) !== date)
    throw usage(`${label}: there is no day ${date}; write an existing date`);
  return time;
}

/** Returns the correction for a text that is not a time: a date needs a time of day and a zone as well. */
function timeExample(text: string, example: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text)
    ? `the time of day and the zone as well: ${text}T00:00:00Z`
    : `for example ${example}`;
}
