import { beforeEach, describe, expect, it } from '@jest/globals';
import { isProblem, Problem, type OrProblem } from '@interlock/base';
import type { CalendarEvents } from '@interlock/gating';
import { KeeperCalendars } from './calendar-events.js';

const minute = 60_000;
const calendar = { text: 'BEGIN:VCALENDAR', timeZone: 'UTC' };
const exceeded = new Problem('LimitExceeded', 'it takes longer than 1 s', { transient: false });

let now: number;
/** Milliseconds by which the clock was changed. */
let setMs: number;
/** Calls of the reader that have not been answered. */
let open: { tenant: string; text: string; answer: (reading: OrProblem<CalendarEvents>) => void }[];
let changed: string[];
let calendars: KeeperCalendars;

beforeEach(() => {
  now = Date.UTC(2030, 5, 1);
  setMs = 0;
  open = [];
  changed = [];
  const read = (tenant: string, text: string) =>
    new Promise<OrProblem<CalendarEvents>>((answer) => open.push({ tenant, text, answer }));
  const clock = { now: () => now + setMs, monotonic: () => now };
  calendars = new KeeperCalendars({ read }, clock, (keeper) => changed.push(keeper));
});

async function answer(reading: OrProblem<CalendarEvents>): Promise<void> {
  open.shift()?.answer(reading);
  await Promise.resolve();
  await Promise.resolve();
}

const events = (eventCount: number): CalendarEvents => ({
  occurrences: [],
  eventCount,
  knownFrom: 0,
  knownUntil: Infinity,
});
const of = (text = calendar.text) => calendars.of('team/keeper', { ...calendar, text });

describe('the calendars of keepers', () => {
  it('are read once per namespace and text', async () => {
    expect(of()).toBeUndefined();
    expect(of()).toBeUndefined();
    expect(open.map(({ tenant }) => tenant)).toEqual(['team']);
    await answer(events(1));
    expect(changed).toEqual(['team/keeper']);
    expect(of()).toEqual(events(1));
    expect(open).toEqual([]);
  });

  it('are read again when the text changes, and an outdated answer is ignored', async () => {
    of();
    expect(of('another')).toBeUndefined();
    await answer(events(1));
    expect(of('another')).toBeUndefined();
    await answer(events(2));
    expect(of('another')).toEqual(events(2));
  });

  it('are retried after an error, at growing intervals, and keep the error in the meantime', async () => {
    of();
    await answer(exceeded);
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      now += minutes * minute - 1;
      expect(of()).toEqual(exceeded);
      expect(open).toEqual([]);
      now += 1;
      expect(of()).toEqual(exceeded);
      expect(open).toHaveLength(1);
      await answer(exceeded);
    }
  });

  it.each([-60, 60])('are retried at the same time when the clock jumps by %d minutes', async (minutes) => {
    of();
    await answer(exceeded);
    setMs = minutes * minute;
    now += minute - 1;
    of();
    expect(open).toEqual([]);
    now += 1;
    of();
    expect(open).toHaveLength(1);
  });

  it('keep the events of the old year until the events of the new year are known', async () => {
    of();
    await answer(events(1));
    now = Date.UTC(2031, 0, 1);
    expect(of()).toEqual(events(1));
    expect(open).toHaveLength(1);
    await answer(events(2));
    expect(of()).toEqual(events(2));
  });

  it('have at most 200,000 occurrences in one namespace, and are retried when there is room', async () => {
    const occurrences = Array.from({ length: 60_000 }, (_, from) => ({ from, to: from + 1, summary: '' }));
    const keepers = ['team/a', 'team/b', 'team/c', 'team/d', 'other/e'];
    const calendarOf = (keeper: string) => ({ ...calendar, text: `${calendar.text} ${keeper}` });
    const read = async (keeper: string) => {
      calendars.of(keeper, calendarOf(keeper));
      await answer({ ...events(1), occurrences });
    };
    for (const keeper of keepers) await read(keeper);
    const isRead = () => keepers.map((keeper) => !isProblem(calendars.of(keeper, calendarOf(keeper))));
    expect(isRead()).toEqual([true, true, true, false, true]);
    expect(calendars.of('team/d', calendarOf('team/d'))).toMatchObject({
      message: expect.stringContaining('more than 200000 occurrences together'),
      transient: false,
    });
    calendars.retain('team/a', undefined);
    now += minute;
    await read('team/d');
    expect(isProblem(calendars.of('team/d', calendarOf('team/d')))).toBe(false);
  });

  it('share the occurrences of the same calendar in a namespace', async () => {
    const occurrences = Array.from({ length: 60_000 }, (_, from) => ({ from, to: from + 1, summary: '' }));
    const keepers = ['team/a', 'team/b', 'team/c', 'team/d'];
    for (const keeper of keepers) {
      calendars.of(keeper, calendar);
      await answer({ ...events(1), occurrences });
    }
    const readings = keepers.map((keeper) => calendars.of(keeper, calendar));
    expect(new Set(readings).size).toBe(1);
    expect(readings[0]).toMatchObject({ eventCount: 1 });
  });

  it('share the events of a new year as soon as one of them is read', async () => {
    const keepers = ['team/a', 'team/b'];
    const readings = () => keepers.map((keeper) => calendars.of(keeper, calendar));
    readings();
    await answer(events(1));
    await answer(events(1));
    setMs = 366 * 24 * 60 * minute;
    readings();
    await answer(events(2));
    expect(readings()).toEqual([events(2), events(1)]);
    await answer(events(2));
    const [first, second] = readings();
    expect(first).toEqual(events(2));
    expect(second).toBe(first);
  });

  it('are dropped with their keeper', async () => {
    of();
    calendars.retain('team/keeper', undefined);
    await answer(events(1));
    expect(changed).toEqual([]);
    expect(of()).toBeUndefined();
  });
});
