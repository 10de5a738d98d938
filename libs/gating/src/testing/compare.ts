import { decideGate } from '../decide.js';
import { keeperCache } from '../keeper/compile.js';
import { compileSchedule } from '../schedule/compile.js';
import { gate, scheduleKeeper } from './objects.js';
import { closedMinutes, type RandomSchedule } from './oracle.js';
import { randomSchedule, seeded, specOf, type Random } from './random-schedule.js';
import { wallClock, type WallClock } from './wall-clock.js';

const minuteMs = 60_000;
/** Windows may have begun before the two years that are compared. */
const leadMinutes = 3 * 1440;
const minutes = 731 * 1440;
const from = Date.UTC(2026, 0, 1);
const to = from + minutes * minuteMs;
const zones = ['Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago', 'Africa/Casablanca'];
const samplesPerGate = 25;

export interface Comparison {
  schedules: number;
  /** Number of compared changes of a state. */
  changes: number;
  disagreements: string[];
}

interface CompareOptions {
  /** The seed of the random schedules; the same seed produces the same schedules. */
  seed: number;
  schedules: number;
  /** Shifts the minute-by-minute result by one minute, so that there is a difference to detect. */
  spoil: boolean;
}

/** Compares the engine with a check of each minute, for random gates: every minute of their schedules, and `next`. */
export function compare({ seed, schedules: wanted, spoil }: CompareOptions): Comparison {
  const clocks = clocksOf();
  const random = seeded(seed);
  const result: Comparison = { schedules: 0, changes: 0, disagreements: [] };
  while (result.schedules < wanted && result.disagreements.length === 0) {
    const schedules = randomGate(random, clocks);
    result.schedules += schedules.length;
    const closed = schedules.map(closedMinutes);
    if (spoil) for (const one of closed) one[leadMinutes + 5] = one[leadMinutes + 5] === 1 ? 0 : 1;
    const together = new Uint8Array(minutes + leadMinutes);
    for (const one of closed)
      for (let index = 0; index < together.length; index += 1) if (one[index] === 1) together[index] = 1;
    schedules.forEach((schedule, index) => compareSchedule(schedule, closed[index] ?? together, result));
    compareNext(schedules, together, random, result);
  }
  return result;
}

function clocksOf(): [WallClock, ...WallClock[]] {
  const of = (zone: string) => wallClock(zone, from - leadMinutes * minuteMs, minutes + leadMinutes);
  return [of('UTC'), ...zones.map(of)];
}

/** Returns each instant at which the state changes, by checking each minute. */
function changesOf(closed: Uint8Array): number[] {
  const changes: number[] = [];
  for (let index = leadMinutes + 1; index < closed.length; index += 1)
    if (closed[index] !== closed[index - 1]) changes.push(from + (index - leadMinutes) * minuteMs);
  return changes;
}

function randomGate(random: Random, clocks: [WallClock, ...WallClock[]]): RandomSchedule[] {
  const count = 1 + Math.floor(random() * 3);
  const schedules = Array.from({ length: count }, () => randomSchedule(random, clocks));
  const isValid = schedules.every(
    (schedule) => compileSchedule(specOf(schedule), 'spec.schedule').problems.length === 0,
  );
  return isValid ? schedules : randomGate(random, clocks);
}

function compareSchedule(schedule: RandomSchedule, closed: Uint8Array, result: Comparison): void {
  const spec = specOf(schedule);
  const { timeline } = compileSchedule(spec, 'spec.schedule');
  const expected = changesOf(closed);
  result.changes += expected.length;
  const differ = (what: string, at: number, found: unknown, wanted: unknown) =>
    result.disagreements.push(
      `${what} at ${new Date(at).toISOString()}: ${String(found)}, not ${String(wanted)}: ${JSON.stringify(spec)}`,
    );
  const isClosed = closed[leadMinutes] === 1;
  if (timeline.at(from) !== isClosed) differ('state', from, timeline.at(from), isClosed);
  let before = from;
  for (const [index, change] of [...expected, to].entries()) {
    const until = timeline.until(before, to);
    if (until !== change) return void differ('until', before, until, change);
    const since = index < 300 ? timeline.since(change - 1, from) : before;
    if (since !== before) return void differ('since', change - 1, since, before);
    before = change;
  }
}

function compareNext(
  schedules: readonly RandomSchedule[],
  closed: Uint8Array,
  random: Random,
  result: Comparison,
): void {
  const open = gate({ closed: false });
  /* Limited to the checked minutes, which bounds the search for the last change. */
  const object = { ...open, metadata: { ...open.metadata, creationTimestamp: new Date(from).toISOString() } };
  const keepers = schedules.map((schedule, index) => {
    const keeper = scheduleKeeper(specOf(schedule), `keeper-${index}`);
    return { keeper: { ...keeper, metadata: { ...keeper.metadata, uid: `${index}`, generation: 1 } } };
  });
  const compile = keeperCache();
  const changes = changesOf(closed);
  const samples = Array.from({ length: samplesPerGate }, () => Math.floor(random() * minutes));
  for (const minute of samples.sort((a, b) => a - b)) {
    const now = from + minute * minuteMs;
    const { state, next } = decideGate(now, object, keepers, [], undefined, { compile });
    const found = `${state} until ${next === undefined || next.at >= to ? 'later' : next.at}`;
    const isClosed = closed[leadMinutes + minute] === 1;
    const wanted = `${isClosed ? 'Closed' : 'Open'} until ${changes.find((change) => change > now) ?? 'later'}`;
    if (found !== wanted)
      result.disagreements.push(
        `decision at ${now}: ${found}, not ${wanted}: ${JSON.stringify(schedules.map(specOf))}`,
      );
  }
}
