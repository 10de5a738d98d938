import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KeyedLock } from './keyed-lock.js';

/** Returns a task that lasts until `end` is called. */
function held(log: string[], name: string) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const work = async (): Promise<string> => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
    return name;
  };
  return { work, end: () => end() };
}

it('runs the tasks of one key in the order of the calls, and the tasks of different keys concurrently', async () => {
  const log: string[] = [];
  const [first, second, other] = ['first', 'second', 'other'].map((name) => held(log, name));
  const lock = new KeyedLock();
  const one = lock.run('a', async () => first?.work());
  const two = lock.run('a', async () => second?.work());
  const three = lock.run('b', async () => other?.work());
  other?.end();
  await three;
  second?.end();
  first?.end();
  expect(await Promise.all([one, two])).toEqual(['first', 'second']);
  expect(log.filter((line) => !line.startsWith('other'))).toEqual([
    'first begins',
    'first ends',
    'second begins',
    'second ends',
  ]);
  expect(log.indexOf('other ends')).toBeLessThan(log.indexOf('first ends'));
});

it('reports a failure only to the caller of the failed task', async () => {
  const lock = new KeyedLock();
  const failed = lock.run('a', () => Promise.reject(new Error('no')));
  const next = lock.run('a', () => Promise.resolve('next'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('next');
});

it('ends an aborted wait at once, never runs its task, and lets no other task overtake', async () => {
  const log: string[] = [];
  const [first, second, third] = ['first', 'second', 'third'].map((name) => held(log, name));
  const lock = new KeyedLock();
  const abort = new AbortController();
  const one = lock.run('a', async () => first?.work());
  const two = lock.run('a', async () => second?.work(), abort.signal);
  const three = lock.run('a', async () => third?.work());
  abort.abort(new Error('stop'));
  await expect(two).rejects.toThrow('stop');
  expect(log).toEqual(['first begins']);
  first?.end();
  third?.end();
  await Promise.all([one, three]);
  expect(log).toEqual(['first begins', 'first ends', 'third begins', 'third ends']);
});

it('runs one task per key at a time, even if tasks fail', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.record({ key: fc.constantFrom('a', 'b'), fails: fc.boolean() }), { maxLength: 12 }),
      async (scheduler, works) => {
        const lock = new KeyedLock();
        const running = new Map<string, number>();
        const order: string[] = [];
        const results = works.map(({ key, fails }, index) =>
          lock.run(key, async () => {
            running.set(key, (running.get(key) ?? 0) + 1);
            expect(running.get(key)).toBe(1);
            order.push(`${key} ${index}`);
            await scheduler.schedule(Promise.resolve());
            running.set(key, 0);
            if (fails) throw new Error('failed');
            return index;
          }),
        );
        const settled = Promise.allSettled(results);
        await scheduler.waitFor(settled);
        const states = (await settled).map(({ status }) => status);
        expect(states).toEqual(works.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')));
        for (const key of ['a', 'b']) {
          const expected = works.flatMap((work, index) => (work.key === key ? [`${key} ${index}`] : []));
          expect(order.filter((entry) => entry.startsWith(key))).toEqual(expected);
        }
      },
    ),
    { numRuns: 50 },
  );
});
