import { dayNumberOf, weekdayOf, civilOf } from './civil.js';
import type { Cron } from './cron.js';
import type { DayMatch } from './minutes.js';

/** Number of years after which the Gregorian calendar repeats, including weekdays. */
const cycleYears = 400;

/** Returns whether there is a date that the cron expression matches. */
export function matchesSomeDay(cron: Cron, dayMatch: DayMatch): boolean {
  const either = cron.restrictsDay && cron.restrictsWeekday && dayMatch === 'any';
  if (either || !cron.restrictsDay) return true;
  const pairs = cron.months.flatMap((inMonth, month) =>
    inMonth ? cron.days.flatMap((onDay, day) => (onDay ? [{ month, day }] : [])) : [],
  );
  return pairs.some(({ month, day }) => exists(month, day, cron.weekdays));
}

function exists(month: number, day: number, weekdays: readonly boolean[]): boolean {
  for (let year = 2000; year < 2000 + cycleYears; year += 1) {
    const dayNumber = dayNumberOf(year, month, day);
    if (civilOf(dayNumber).day === day && weekdays[weekdayOf(dayNumber)] === true) return true;
  }
  return false;
}
