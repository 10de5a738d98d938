import ical from 'ical.js';

/** Returns the rules of an event. */
function rulesOf(component: ical.Component): ical.Recur[] {
  return component
    .getAllProperties('rrule')
    .map((property) => property.getFirstValue())
    .filter((value) => value instanceof ical.Recur);
}

/**
 * Refuses rules that the library misreads: an event that ends too early would let changes through.
 *
 * @throws Error stating what to write instead
 */
export function refuseMisread(component: ical.Component): void {
  if (component.hasProperty('exrule'))
    throw new Error('it excludes repetitions by a rule (EXRULE); write them as EXDATE');
  const properties = component.getAllProperties('rrule');
  if (properties.length > 1) throw new Error('it has several rules (RRULE); write one event for each');
  if (properties.some(({ jCal }) => Object.hasOwn(Object(jCal[3]) as object, 'rscale')))
    throw new Error('it repeats by another calendar or moves dates (RSCALE); write its dates as RDATE');
  for (const rule of rulesOf(component)) {
    if (rule.parts.BYWEEKNO !== undefined)
      throw new Error('it repeats in numbered weeks (BYWEEKNO); write its dates as RDATE');
    if (rule.freq === 'YEARLY' || rule.freq === 'MONTHLY') refuseLongPeriod(rule);
    if (rule.freq === 'HOURLY' && rule.interval > 1 && rule.parts.BYHOUR !== undefined)
      throw new Error(
        `it repeats every ${rule.interval} hours, but only in some of them; write FREQ=DAILY with the hours as BYHOUR`,
      );
    refuseDays(rule);
  }
}

function refuseLongPeriod({ freq, interval, parts }: ical.Recur): void {
  if ([parts.BYHOUR, parts.BYMINUTE, parts.BYSECOND].some((times) => numbers(times ?? []).length > 1))
    throw new Error(
      'it repeats at several times of a day in some months or years; write one event for each time',
    );
  if (freq === 'MONTHLY' && interval > 1 && parts.BYMONTH !== undefined)
    throw new Error(
      `it repeats every ${interval} months, but only in some of them; write FREQ=YEARLY with the months as BYMONTH`,
    );
  if (freq === 'MONTHLY' && interval > 1 && isMixed(parts.BYDAY))
    throw new Error(
      `it repeats every ${interval} months on days of the week that some months do not have; write one event for each day`,
    );
  const days = numbers(parts.BYMONTHDAY ?? []);
  const isMisread = days.length > 0 && (parts.BYMONTH === undefined || days.some((day) => day < 0));
  if (freq === 'YEARLY' && interval > 1 && isMisread)
    throw new Error(
      `it repeats every ${interval} years on days of the month; write FREQ=MONTHLY with an INTERVAL for each month`,
    );
}

function refuseDays({ freq, parts }: ical.Recur): void {
  const days = numbers(parts.BYMONTHDAY ?? []);
  const weekdays = [parts.BYDAY ?? []].flat().map(String);
  if (weekdays.some((day) => /\d\d/.test(day)))
    throw new Error(
      'it repeats on a numbered day of the week beyond the ninth (BYDAY); write its dates as RDATE',
    );
  const isFromEnd = days.some((day) => day < 0);
  if (days.length > 0 && weekdays.length > 0 && (isFromEnd || weekdays.some((day) => /\d/.test(day))))
    throw new Error(
      'it repeats on days of the month that are also certain days of the week; write its dates as RDATE',
    );
  if (isFromEnd && freq !== 'YEARLY' && freq !== 'MONTHLY')
    throw new Error('it repeats on days that are counted from the end of the month; write FREQ=MONTHLY');
  const isOfMonth = freq === 'MONTHLY' || (freq === 'YEARLY' && numbers(parts.BYMONTH ?? []).length === 1);
  const isPosition = isOfMonth && weekdays.length > 0 && days.length === 0;
  if (parts.BYSETPOS !== undefined && !isPosition)
    throw new Error(
      'it repeats on positions (BYSETPOS) in a list other than the days of the week of a month; write its dates as RDATE',
    );
}

/** Rewrites the last of the days 28 to 31 as the last day of the month, which it is in each month. */
export function simplifyLastDay(component: ical.Component): void {
  for (const { freq, parts } of rulesOf(component)) {
    const days = new Set(numbers(parts.BYMONTHDAY ?? []));
    const isLastDay = days.size === 4 && [28, 29, 30, 31].every((day) => days.has(day));
    const isLast = String(parts.BYSETPOS) === '-1';
    const isSingle = ['BYHOUR', 'BYMINUTE', 'BYSECOND'].every((part) => !(part in parts));
    if (freq !== 'MONTHLY' || !isLastDay || !isLast || !isSingle || 'BYDAY' in parts) continue;
    parts.BYMONTHDAY = [-1];
    delete parts.BYSETPOS;
  }
}

const sortable = ['BYMONTH', 'BYHOUR', 'BYMINUTE', 'BYSECOND'] as const;

/**
 * Sorts months and times in rules (RFC 5545, section 3.3.10, gives their order no meaning): the library returns
 * repetitions in the order of these lists, which must be that of time.
 */
export function sortTimes(component: ical.Component): void {
  for (const { parts } of rulesOf(component))
    for (const name of sortable)
      if (parts[name] !== undefined) parts[name] = numbers(parts[name]).sort((a, b) => a - b);
}

/**
 * Rewrites yearly rules about days of the month as equivalent monthly rules (RFC 5545, section 3.3.10): if a rule
 * does not name a month, the library searches for such days in January only, and counts from the end of the wrong
 * month. Rewrites monthly rules about several days of the week as yearly ones: the library would begin with the wrong
 * month if the first one does not have all of the days.
 */
export function completeRules({ component, startDate }: ical.Event): void {
  for (const rule of rulesOf(component)) {
    const { freq, interval, parts } = rule;
    /* The start of the search has another day than the event. */
    if (freq === 'MONTHLY' && parts.BYMONTH !== undefined && parts.BYDAY === undefined)
      parts.BYMONTHDAY ??= [startDate.day];
    const days = numbers(parts.BYMONTHDAY ?? []);
    const isSimple = !['BYDAY', 'BYYEARDAY', 'BYWEEKNO', 'BYSETPOS'].some((part) => part in parts);
    const isMisread = parts.BYMONTH === undefined || days.some((day) => day < 0);
    if (freq === 'YEARLY' && interval === 1 && days.length > 0 && isSimple && isMisread)
      rule.freq = 'MONTHLY';
    if (freq === 'MONTHLY' && interval === 1 && !('BYMONTHDAY' in parts) && isMixed(parts.BYDAY)) {
      rule.freq = 'YEARLY';
      parts.BYMONTH ??= Array.from({ length: 12 }, (_, index) => index + 1);
    }
  }
}

/** Returns whether several days of the week include one that some months do not have, such as the fifth Tuesday. */
function isMixed(weekdays: unknown): boolean {
  const days = [weekdays ?? []].flat().map(String);
  return days.length > 1 && days.some((day) => /5/.test(day));
}

/**
 * Returns the time from which the library searches for repetitions: if a monthly rule names months, it would miss days, or add some,
 * unless the search begins with the first of the months. Repetitions before the start of the event do not count.
 */
export function searchStart({ component, startDate }: ical.Event): ical.Time {
  const start = startDate.clone();
  for (const { freq, parts } of rulesOf(component))
    if (freq === 'MONTHLY' && parts.BYMONTH !== undefined)
      Object.assign(start, { day: 1, month: Math.min(...numbers(parts.BYMONTH)) });
  return start;
}

/**
 * Removes the COUNT of a rule and returns it; Infinity for rules without one. The library would also
 * count the days that {@link isMeant} skips, and months that the rule does not include.
 */
export function takeCount(component: ical.Component): number {
  const [rule] = rulesOf(component);
  if (rule === undefined || rule.count === null) return Infinity;
  const { count } = rule;
  rule.count = null;
  return count;
}

/**
 * Returns whether a repetition falls on a day that its rule includes: the library moves February 29 to March 1 in other
 * years, where such a day must be skipped (RFC 5545, section 3.3.10).
 */
export function isMeant(component: ical.Component, begin: ical.Time, start: ical.Time): boolean {
  return rulesOf(component).some(({ freq, parts }) => {
    const { BYMONTH: months, BYMONTHDAY: days } = parts;
    if (months !== undefined && !numbers(months).includes(start.month)) return false;
    if (freq !== 'YEARLY') return true;
    if (days !== undefined) {
      const fromEnd = start.day - ical.Time.daysInMonth(start.month, start.year) - 1;
      return numbers(days).some((day) => day === start.day || day === fromEnd);
    }
    const isByDay = ['BYDAY', 'BYYEARDAY', 'BYWEEKNO'].some((part) => part in parts);
    return isByDay || start.day === begin.day;
  });
}

function numbers(value: unknown): number[] {
  return (Array.isArray(value) ? value : [value]).map(Number);
}
