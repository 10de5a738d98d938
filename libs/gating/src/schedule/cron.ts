import { CronPattern } from 'croner';
import { LRUCache } from 'lru-cache';
import { minuteMs } from './civil.js';

/** Matching minutes of a day, as [begin, end) in ms since midnight, ascending and disjoint. */
export type Runs = readonly (readonly [number, number])[];

/** A cron expression as sets. */
export interface Cron {
  text: string;
  /** Minutes that match on a matching day, ascending. */
  minutes: number[];
  /** The same minutes as runs. */
  runs: Runs;
  /** Whether each day of the month matches, from 1 to 31. */
  days: boolean[];
  /** Whether each month matches, from 1 to 12. */
  months: boolean[];
  /** Whether each day of the week matches; Sunday is 0. */
  weekdays: boolean[];
  /** Whether the field is anything other than `*`. */
  restrictsDay: boolean;
  restrictsWeekday: boolean;
}

const fieldNames = ['minute', 'hour', 'day of the month', 'month', 'day of the week'];
const bounds: readonly (readonly [number, number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
];
/**
 * Lists, ranges and steps of numbers and of three-letter names. Extensions of some cron implementations (L, W, #, ?)
 * are not supported.
 */
const item = /^(\*|\d{1,2}|[A-Za-z]{3})(-(\d{1,2}|[A-Za-z]{3}))?(\/\d{1,2})?$/;

/** Cached because the same few expressions are parsed repeatedly. */
const known = new LRUCache<string, Cron>({ max: 1_000 });

/**
 * Returns the sets of a cron expression of five fields (crontab(5); Sunday is 0 and 7).
 *
 * @throws Error stating the problem and its position
 */
export function parseCron(text: string): Cron {
  const cron = known.get(text) ?? parse(text);
  known.set(text, cron);
  return cron;
}

/** The meaning of named expressions that some cron implementations have (crontab(5)). */
const named: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

function parse(text: string): Cron {
  if (text.trim().startsWith('@'))
    throw new Error(
      `does not consist of five fields; write ${named[text.trim().toLowerCase()] ?? fieldNames.join(', ')}`,
    );
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5)
    throw new Error(
      `has ${fields.length} field${fields.length === 1 ? '' : 's'}; write five: ${fieldNames.join(', ')}`,
    );
  fields.forEach(checkField);
  const pattern = read(fields.join(' '));
  const minutes = pattern.hour.flatMap((hour, h) =>
    hour ? pattern.minute.flatMap((minute, m) => (minute ? [h * 60 + m] : [])) : [],
  );
  return {
    text,
    minutes,
    runs: runsOf(minutes),
    days: [false, ...pattern.day.map(Boolean)],
    months: [false, ...pattern.month.map(Boolean)],
    weekdays: pattern.dayOfWeek.map(Boolean),
    restrictsDay: fields[2] !== '*',
    restrictsWeekday: fields[4] !== '*',
  };
}

function checkField(field: string, index: number): void {
  const name = fieldNames[index] ?? '';
  const wrong = field.split(',').find((part) => !item.test(part));
  if (wrong !== undefined)
    throw new Error(
      `is not valid at ${JSON.stringify(wrong)} (${name}); write numbers, three-letter names, *, ranges (1-5), lists (1,3) and steps (*/15)`,
    );
  const [low, high] = bounds[index] ?? [0, 0];
  const outside = field
    .replace(/\/\d+/g, '')
    .match(/\d+/g)
    ?.find((digits) => +digits < low || +digits > high);
  if (outside !== undefined)
    throw new Error(`has ${outside} as ${name}; write a number from ${low} to ${high}`);
}

function read(text: string): CronPattern {
  try {
    return new CronPattern(text, undefined, { mode: '5-part' });
  } catch (error) {
    const message = (error as { message: string }).message.replace(/^CronPattern: /, '');
    throw new Error(`is not a cron expression: ${message}`, { cause: error });
  }
}

/**
 * Returns minutes as runs of consecutive minutes.
 *
 * @param minutes minutes of the day, in any order
 */
export function runsOf(minutes: readonly number[]): Runs {
  const runs: [number, number][] = [];
  for (const minute of [...new Set(minutes)].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last?.[1] === minute * minuteMs) last[1] += minuteMs;
    else runs.push([minute * minuteMs, (minute + 1) * minuteMs]);
  }
  return runs;
}
