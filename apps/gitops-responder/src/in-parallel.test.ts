import { expect, it } from '@jest/globals';
import { inParallel } from './in-parallel.js';

it('limits the number of concurrent items, and keeps the order', async () => {
  let running = 0;
  let most = 0;
  const results = await inParallel([5, 4, 3, 2, 1], 2, async (item) => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running -= 1;
    return item * 2;
  });
  expect(results).toEqual([10, 8, 6, 4, 2]);
  expect(most).toBe(2);
  await expect(inParallel([1], 2, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
