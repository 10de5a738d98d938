import type { Schedule } from '@interlock/api';
import type { Field, RandomCron, RandomSchedule, RandomWindow } from './oracle.js';
import type { WallClock } from './wall-clock.js';

export type Random = () => number;

/** Returns the same numbers in [0, 1) for the same seed (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const pick = <T>(random: Random, from: readonly [T, ...T[]]): T =>
  from[Math.floor(random() * from.length)] ?? from[0];
const between = (random: Random, low: number, high: number) => low + Math.floor(random() * (high - low + 1));
const chance = (random: Random, part: number) => random() < part;

export function randomSchedule(random: Random, clocks: readonly [WallClock, ...WallClock[]]): RandomSchedule {
  const clock = pick(random, clocks);
  const windows = (low: number, high: number) =>
    Array.from({ length: between(random, low, high) }, () => randomWindow(random, clock));
  const onlyOpen = chance(random, 0.2);
  return {
    clock,
    dayMatch: pick(random, ['any', 'all']),
    closed: onlyOpen ? [] : windows(1, 3),
    open: onlyOpen || chance(random, 0.25) ? windows(1, 2) : [],
  };
}

/** Returns the schedule in the form of a GateKeeper spec. */
export function specOf({ clock, dayMatch, closed, open }: RandomSchedule): Schedule {
  return {
    timeZone: clock.zone,
    dayMatch,
    ...(closed.length > 0 && { closed: closed.map(({ window }) => window) }),
    ...(open.length > 0 && { open: open.map(({ window }) => window) }),
  };
}

function randomWindow(random: Random, clock: WallClock): RandomWindow {
  const form = random();
  if (form < 0.5) {
    const cron = randomCron(random, false);
    return { window: { cron: cron.text }, cron };
  }
  if (form < 0.85) {
    const cron = randomCron(random, true);
    const durationMinutes = pick(random, [1, 5, 30, 60, 90, 480, 1440, 2000]);
    return { window: { start: cron.text, duration: `${durationMinutes}m` }, cron, durationMinutes };
  }
  const at = () => clock.local[between(random, 10_000, clock.local.length - 10_000)] ?? 0;
  const [from = 0, to = 0] = [at(), at()].sort((a, b) => a - b);
  const text = (local: number) => new Date(local * 60_000).toISOString().slice(0, 16);
  return { window: { from: text(from), to: text(to + 1) }, from, to: to + 1 };
}

function randomCron(random: Random, rarely: boolean): RandomCron {
  const fields: RandomCron['fields'] = [
    field(random, 0, 59, rarely ? 0.1 : 0.5, 0.05),
    field(random, 0, 23, rarely ? 0.1 : 0.4),
    field(random, 1, 31, 0.5),
    field(random, 1, 12, 0.6),
    field(random, 0, 6, 0.6),
  ];
  /* Days that do not exist in any month make a schedule invalid. */
  if (fields[3].text !== '*') fields[2].has[29] ||= fields[2].text === '*';
  return { text: fields.map(({ text }) => text).join(' '), fields };
}

function field(random: Random, low: number, high: number, anyChance: number, stepChance = 0.25): Field {
  const has = Array.from({ length: high + 1 }, () => false);
  if (chance(random, anyChance)) return { text: '*', has: has.map((_, value) => value >= low) };
  const parts = Array.from({ length: between(random, 1, 2) }, () => {
    const form = random();
    if (form < stepChance) {
      const step = between(random, 2, Math.max(2, Math.floor((high - low) / 2)));
      for (let value = low; value <= high; value += step) has[value] = true;
      return `*/${step}`;
    }
    const [from = low, to = low] = [between(random, low, high), between(random, low, high)].sort(
      (a, b) => a - b,
    );
    if (form < 0.5) {
      has[from] = true;
      return String(from);
    }
    const step = form < 0.85 ? 1 : between(random, 1, 7);
    for (let value = from; value <= to; value += step) has[value] = true;
    return step === 1 ? `${from}-${to}` : `${from}-${to}/${step}`;
  });
  return { text: parts.join(','), has };
}
