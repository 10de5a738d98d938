import { describe, expect, it, test } from '@jest/globals';
import { batchSize, PollTurns, Turn } from './poll-turns.js';

const range = (count: number, from = 0): number[] => Array.from({ length: count }, (_one, at) => from + at);

class Poll extends Turn {
  readonly #started: number[];
  readonly #number: number;

  constructor(number: number, started: number[]) {
    super();
    this.#number = number;
    this.#started = started;
  }

  start(): void {
    this.#started.push(this.#number);
  }
}

/** Polls whose turns the test takes. */
function createTurns() {
  const scheduled: (() => void)[] = [];
  const started: number[] = [];
  const turns = new PollTurns((turn) => scheduled.push(turn));
  return {
    turns,
    scheduled,
    started,
    wait: (...polls: number[]) => {
      for (const poll of polls) turns.add(new Poll(poll, started));
    },
    /** Takes the scheduled turn, if any. Returns the polls that started in it. */
    take: (): number[] => {
      started.length = 0;
      scheduled.shift()?.();
      return [...started];
    },
  };
}

test.each([
  ['every poll in a quiet turn', 3, 0, 3],
  ['a limited number of many polls in a quiet turn', 5_000, 0, 64],
  ['no poll while answers arrive', 5_000, 1, 0],
  ['no poll in the eighth busy turn', 5_000, 8, 0],
  ['a limited number after eight busy turns', 5_000, 9, 64],
])('starts %s', (_title, waiting, busyTurns, count) => {
  expect(batchSize(waiting, busyTurns)).toBe(count);
});

describe('PollTurns', () => {
  it('starts polls in the order of arrival, in the next turn', () => {
    const { started, wait, take } = createTurns();
    wait(0, 1, 2);
    expect(started).toEqual([]);
    expect(take()).toEqual([0, 1, 2]);
  });

  it('schedules one turn for all polls, and none when no poll waits', () => {
    const { scheduled, wait, take } = createTurns();
    wait(0, 1, 2);
    expect(scheduled).toHaveLength(1);
    take();
    expect(scheduled).toHaveLength(0);
  });

  it('starts no poll until a turn without an answer', () => {
    const { turns, wait, take } = createTurns();
    turns.markBusy();
    wait(0);
    expect(take()).toEqual([]);
    turns.markBusy();
    wait(1);
    expect(take()).toEqual([]);
    expect(take()).toEqual([0, 1]);
  });

  it('starts many polls in several turns, and waits while answers arrive in between', () => {
    const { turns, wait, take } = createTurns();
    wait(...range(100));
    expect(take()).toEqual(range(64));
    turns.markBusy();
    expect(take()).toEqual([]);
    expect(take()).toEqual(range(36, 64));
  });

  it('starts a batch in each ninth turn even if answers arrive in every turn', () => {
    const { turns, wait, take } = createTurns();
    wait(...range(200));
    const counts: number[] = [];
    for (let turn = 0; turn < 27; turn++) {
      turns.markBusy();
      counts.push(take().length);
    }
    expect(counts.flatMap((count, turn) => (count > 0 ? [[turn, count]] : []))).toEqual([
      [8, 64],
      [17, 64],
      [26, 64],
    ]);
  });
});
