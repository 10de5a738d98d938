import { describe, expect, test } from '@jest/globals';
import { Activity } from './activity.js';
import { Batcher } from './batcher.js';
import { Limit } from './limit.js';

function gate() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

describe('Limit', () => {
  test('runs a limited number of tasks at a time, and starts the others in order', async () => {
    const limit = new Limit(2);
    const began: number[] = [];
    const gates = Array.from({ length: 4 }, gate);
    const runs = gates.map(({ passed }, index) =>
      limit.run(() => {
        began.push(index);
        return passed;
      }),
    );
    await Promise.resolve();
    await Promise.resolve();
    expect(began).toEqual([0, 1]);
    gates[1]?.open();
    await runs[1];
    gates[0]?.open();
    await runs[0];
    gates.forEach(({ open }) => open());
    await Promise.all(runs);
    expect(began).toEqual([0, 1, 2, 3]);
  });

  test('releases the place of a failed or aborted task', async () => {
    const limit = new Limit(1);
    await expect(limit.run(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
    const { passed, open } = gate();
    const holder = limit.run(() => passed);
    const controller = new AbortController();
    const waiting = limit.run(() => Promise.resolve('never'), controller.signal);
    controller.abort('gone');
    await expect(waiting).rejects.toBe('gone');
    open();
    await holder;
    expect(await limit.run(() => Promise.resolve('next'))).toBe('next');
    await expect(limit.run(() => Promise.resolve('late'), AbortSignal.abort('late'))).rejects.toBe('late');
  });
});

describe('Batcher', () => {
  function recorded() {
    const batches: string[][] = [];
    const signals: AbortSignal[] = [];
    const gates = Array.from({ length: 5 }, gate);
    const batcher = new Batcher<string, number>(async (items, signal) => {
      const index = batches.push([...items]) - 1;
      signals.push(signal);
      await Promise.race([
        gates[index]?.passed,
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      ]);
      return index;
    });
    return { batches, signals, gates, batcher };
  }

  test('never joins a batch that has begun, and serves later calls together', async () => {
    const { batches, gates, batcher } = recorded();
    const first = batcher.call(['a']);
    await new Promise(setImmediate);
    const second = batcher.call(['b', 'a']);
    const third = batcher.call(['c']);
    gates[0]?.open();
    expect(await first).toBe(0);
    gates[1]?.open();
    expect(await Promise.all([second, third])).toEqual([1, 1]);
    expect(batches).toEqual([['a'], ['b', 'a', 'c']]);
  });

  test('aborts a batch only when all of its callers have aborted', async () => {
    const { signals, batcher } = recorded();
    const [one, two] = [new AbortController(), new AbortController()];
    const calls = [batcher.call(['a'], one.signal), batcher.call(['b'], two.signal)];
    const outcomes = Promise.allSettled(calls);
    await new Promise(setImmediate);
    one.abort('one');
    expect(signals[0]?.aborted).toBe(false);
    two.abort('two');
    expect(signals[0]?.aborted).toBe(true);
    expect(await outcomes).toMatchObject([{ reason: 'one' }, { reason: 'two' }]);
  });

  test('rejects all callers of a failed batch, and no caller of the next batch', async () => {
    let fail = true;
    const batcher = new Batcher<string, string>(() =>
      fail ? Promise.reject(new Error('x')) : Promise.resolve('ok'),
    );
    const outcomes = await Promise.allSettled([
      batcher.call(['a']),
      batcher.call(['b'], new AbortController().signal),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fail = false;
    expect(await batcher.call(['a'])).toBe('ok');
  });
});

describe('Activity', () => {
  test('is at rest when all tasks, and the tasks that follow them immediately, have ended', async () => {
    const activity = new Activity();
    const order: string[] = [];
    const [first, second] = [gate(), gate()];
    const chain = (async () => {
      let end = activity.begin();
      await first.passed;
      order.push('first');
      end();
      await Promise.resolve();
      end = activity.begin();
      await second.passed;
      end();
      end();
      order.push('second');
    })();
    const rest = activity.rest(60_000).then(() => order.push('rest'));
    await new Promise(setImmediate);
    first.open();
    await new Promise(setImmediate);
    second.open();
    await Promise.all([chain, rest]);
    expect(order).toEqual(['first', 'second', 'rest']);
    await activity.rest(60_000);
  });

  test('does not wait longer than the timeout', async () => {
    const activity = new Activity();
    activity.begin();
    await activity.rest(1);
  });
});
