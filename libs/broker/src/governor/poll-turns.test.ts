import { describe, expect, it, test } from '@jest/globals';
import { batchSize, PollTurns } from './poll-turns.js';

const range = (count: number, from = 0): number[] => Array.from({ length: count }, (_one, at) => from + at);

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
      for (const poll of polls) void turns.wait().then(() => started.push(poll));
    },
    /** Takes the scheduled turn, if any. Returns the polls that started in it. */
    take: async (): Promise<number[]> => {
      started.length = 0;
      scheduled.shift()?.();
      await Promise.resolve();
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
  it('starts polls in the order of arrival, in the next turn', async () => {
    const { started, wait, take } = createTurns();
    wait(0, 1, 2);
    await Promise.resolve();
    expect(started).toEqual([]);
    expect(await take()).toEqual([0, 1, 2]);
  });

  it('schedules one turn for all polls, and none when no poll waits', async () => {
    const { scheduled, wait, take } = createTurns();
    wait(0, 1, 2);
    expect(scheduled).toHaveLength(1);
    await take();
    expect(scheduled).toHaveLength(0);
  });

  it('starts no poll until a turn without an answer', async () => {
    const { turns, wait, take } = createTurns();
    turns.markBusy();
    wait(0);
    expect(await take()).toEqual([]);
    turns.markBusy();
    wait(1);
    expect(await take()).toEqual([]);
    expect(await take()).toEqual([0, 1]);
  });

  it('starts many polls in several turns, and waits while answers arrive in between', async () => {
    const { turns, wait, take } = createTurns();
    wait(...range(100));
    expect(await take()).toEqual(range(64));
    turns.markBusy();
    expect(await take()).toEqual([]);
    expect(await take()).toEqual(range(36, 64));
  });

  it('starts a batch in each ninth turn even if answers arrive in every turn', async () => {
    const { turns, wait, take } = createTurns();
    wait(...range(200));
    const counts: number[] = [];
    for (let turn = 0; turn < 27; turn++) {
      turns.markBusy();
      counts.push((await take()).length);
    }
    expect(counts.flatMap((count, turn) => (count > 0 ? [[turn, count]] : []))).toEqual([
      [8, 64],
      [17, 64],
      [26, 64],
    ]);
  });
});
