import { beforeAll, expect, test } from '@jest/globals';
import { decideGate } from './decide.js';
import { keeperCache } from './keeper/compile.js';
import { compileSchedule } from './schedule/compile.js';
import { gate, scheduleKeeper } from './testing/objects.js';
import { closedMinutes, type RandomSchedule } from './testing/oracle.js';
import { randomSchedule, seeded, specOf, type Random } from './testing/random-schedule.js';
import { wallClock, type WallClock } from './testing/wall-clock.js';

const zones = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago', 'Africa/Casablanca'];
const minuteMs = 60_000;
/** Windows may have begun before the two years that count. */
const leadMinutes = 3 * 1440;
const minutes = 731 * 1440;
const from = Date.UTC(2026, 0, 1);
const to = from + minutes * minuteMs;

let clocks: [WallClock, ...WallClock[]];

beforeAll(() => {
  const [first = '', ...others] = zones;
  const of = (zone: string) => wallClock(zone, from - leadMinutes * minuteMs, minutes + leadMinutes);
  clocks = [of(first), ...others.map(of)];
});

/** Each instant at which the state changes, by looking at each minute. */
function changesOf(closed: Uint8Array): number[] {
  const changes: number[] = [];
  for (let index = leadMinutes + 1; index < closed.length; index += 1)
    if (closed[index] !== closed[index - 1]) changes.push(from + (index - leadMinutes) * minuteMs);
  return changes;
}

function isValid(schedule: RandomSchedule): boolean {
  return compileSchedule(specOf(schedule), 'spec.schedule').problems.length === 0;
}

function randomGate(random: Random): RandomSchedule[] {
  const schedules = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
    randomSchedule(random, clocks),
  );
  return schedules.every(isValid) ? schedules : randomGate(random);
}

test.each(Array.from({ length: 10 }, (_, seed) => seed))(
  'the engine and a look at each minute agree (seed %i)',
  (seed) => {
    const random = seeded(seed);
    for (let count = 0; count < 50;) {
      const schedules = randomGate(random);
      count += schedules.length;
      const closed = schedules.map(closedMinutes);
      const together = new Uint8Array(minutes + leadMinutes);
      for (const one of closed)
        for (let index = 0; index < together.length; index += 1) if (one[index] === 1) together[index] = 1;
      schedules.forEach((schedule, index) => agree(schedule, closed[index] ?? together));
      agreeOnNext(schedules, together, random);
    }
  },
  120_000,
);

function agree(schedule: RandomSchedule, closed: Uint8Array): void {
  const spec = specOf(schedule);
  const { timeline } = compileSchedule(spec, 'spec.schedule');
  const expected = changesOf(closed);
  const found: number[] = [];
  for (let t = timeline.until(from, to); t < to; t = timeline.until(t, to)) found.push(t);
  const differs = found.findIndex((t, index) => t !== expected[index]);
  const at = differs >= 0 ? differs : expected.length;
  const shown = (list: number[]) => list.slice(at, at + 3).map((t) => new Date(t).toISOString());
  expect({ spec, changes: shown(found) }).toEqual({ spec, changes: shown(expected) });
  expect({ spec, state: timeline.at(from) }).toEqual({ spec, state: closed[leadMinutes] === 1 });
  let before = from;
  for (const change of [...expected, to].slice(0, 300)) {
    const since = timeline.since(change - 1, from);
    if (since !== before) expect({ spec, change, since }).toEqual({ spec, change, since: before });
    before = change;
  }
}

function agreeOnNext(schedules: readonly RandomSchedule[], closed: Uint8Array, random: Random): void {
  const open = gate({ closed: false });
  /* No older than the minutes that are looked at, which so bound the search for the last change. */
  const metadata = { ...open.metadata, creationTimestamp: new Date(from).toISOString() };
  const object = { ...open, metadata };
  const specs = schedules.map(specOf);
  const keepers = specs.map((schedule, index) => {
    const keeper = scheduleKeeper(schedule, `keeper-${index}`);
    return { keeper: { ...keeper, metadata: { ...keeper.metadata, uid: `${index}`, generation: 1 } } };
  });
  const compile = keeperCache();
  const changes = changesOf(closed);
  const samples = Array.from({ length: 50 }, () => Math.floor(random() * minutes)).sort((a, b) => a - b);
  for (const minute of samples) {
    const now = from + minute * minuteMs;
    const expected = changes.find((change) => change > now);
    const decision = decideGate(now, object, keepers, [], undefined, { compile });
    const next = decision.next === undefined || decision.next.at >= to ? undefined : decision.next.at;
    expect({ specs, now, state: decision.state, next }).toEqual({
      specs,
      now,
      state: closed[leadMinutes + minute] === 1 ? 'Closed' : 'Open',
      next: expected,
    });
  }
}
