import { FakeClock } from '@interlock/base/testing';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DelayedKeys } from './delayed-keys.js';

it('yields keys in the order of their earliest times, except removed keys', async () => {
  const id = fc.integer({ min: 0, max: 40 });
  const at = fc.integer({ min: 0, max: 1_000 });
  const changes = fc.array(
    fc.tuple(id, fc.oneof({ weight: 4, arbitrary: at }, fc.constant('remove' as const))),
    {
      maxLength: 80,
    },
  );
  await fc.assert(
    fc.asyncProperty(changes, async (entries) => {
      const clock = new FakeClock(0);
      const out: [string, number][] = [];
      const delayed = new DelayedKeys(clock, (key) => out.push([key, clock.now()]));
      const earliest = new Map<string, number>();
      for (const [id, at] of entries) {
        if (at === 'remove') {
          delayed.remove(`key-${id}`);
          earliest.delete(`key-${id}`);
          continue;
        }
        delayed.add(`key-${id}`, at);
        earliest.set(`key-${id}`, Math.min(at, earliest.get(`key-${id}`) ?? Infinity));
      }
      expect(delayed.size).toBe(earliest.size);
      await clock.advance(1_000);
      expect(new Map(out)).toEqual(earliest);
      expect(out).toHaveLength(earliest.size);
      expect(out.map(([, at]) => at)).toEqual([...out.map(([, at]) => at)].sort((a, b) => a - b));
      expect(clock.pendingTimers).toBe(0);
    }),
    { numRuns: 50 },
  );
});
