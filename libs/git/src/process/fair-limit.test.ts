import { describe, expect, test } from '@jest/globals';
import { FairLimit } from './fair-limit.js';

/** Returns tasks that the test ends. */
function harness(limit: FairLimit) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (owner: string, name: string, signal?: AbortSignal) => {
    const task = () => {
      began.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    };
    return limit.run(owner, task, signal);
  };
  const settle = () => new Promise(setImmediate);
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { began, run, end, settle };
}

describe('FairLimit', () => {
  test('gives one owner with many tasks no more than its share, and the rest to other owners', async () => {
    const { began, run, settle } = harness(new FairLimit(4, 2));
    for (const index of [1, 2, 3, 4, 5]) void run('attacker', `attack ${index}`);
    void run('victim', 'victim 1');
    void run('victim', 'victim 2');
    await settle();
    expect(began).toEqual(['attack 1', 'attack 2', 'victim 1', 'victim 2']);
  });

  test('serves owners in turn, and the tasks of each in the order of arrival', async () => {
    const { began, run, end, settle } = harness(new FairLimit(1));
    for (const name of ['a1', 'a2', 'a3']) void run('a', name);
    void run('b', 'b1');
    void run('c', 'c1');
    await settle();
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3']) {
      expect(began.at(-1)).toBe(name);
      await end(name);
    }
    expect(began).toHaveLength(5);
  });

  test('releases the place of a failed task, and drops a task that is aborted while it waits', async () => {
    const limit = new FairLimit(1);
    await expect(limit.run('a', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    const { began, run, end, settle } = harness(limit);
    void run('a', 'first');
    const controller = new AbortController();
    const aborted = run('a', 'aborted', controller.signal);
    void run('a', 'next');
    controller.abort('gone');
    await expect(aborted).rejects.toBe('gone');
    await expect(run('a', 'late', AbortSignal.abort('late'))).rejects.toBe('late');
    await end('first');
    await settle();
    expect(began).toEqual(['first', 'next']);
  });
});
