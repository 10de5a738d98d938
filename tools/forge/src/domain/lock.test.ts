import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Lock } from './lock.js';

test('work of one key runs one by one, in order, failures included', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.record({ key: fc.constantFrom('a', 'b'), fails: fc.boolean() }), { maxLength: 12 }),
      async (scheduler, works) => {
        const lock = new Lock();
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
