/**
 * Conversions between dates of the proleptic Gregorian calendar and days since 1970-01-01, by integer arithmetic alone.
 */

export const minuteMs = 60_000;
export const dayMs = 86_400_000;

interface Civil {
  year: number;
  /** 1 to 12. */
  month: number;
  /** 1 to 31. */
  day: number;
}

/**
 * Returns the date of a day. The year begins in March, so that the leap day is its last day and the month is a linear
 * function of the day.
 */
export function civilOf(dayNumber: number): Civil {
  const shifted = dayNumber + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

/** Returns the day of a date. `month` may be outside of 1 to 12 and then refers to another year. */
export function dayNumberOf(year: number, month: number, day: number): number {
  const months = year * 12 + month - 1;
  const realMonth = ((months % 12) + 12) % 12;
  const shiftedYear = Math.floor(months / 12) - (realMonth < 2 ? 1 : 0);
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = Math.floor((153 * ((realMonth + 10) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** Returns the day of the week, from 0 (Sunday) to 6. */
export function weekdayOf(dayNumber: number): number {
  return (((dayNumber + 4) % 7) + 7) % 7;
}
