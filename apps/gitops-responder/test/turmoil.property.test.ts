import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { happenings, Turmoil } from './harness/turmoil.js';
import { World } from './harness/world.js';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

it('has at most one pull request and one branch, and a status that tells the truth, whatever happens', async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(happenings, async (list) => {
      const turmoil = await Turmoil.begin(world, `se-${++runs}`);
      await turmoil.play(list);
      const status = await turmoil.calm();
      expect(await turmoil.problems(status)).toEqual([]);
    }),
    { numRuns: 12, endOnFailure: true },
  );
}, 600_000);
