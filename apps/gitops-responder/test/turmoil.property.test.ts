import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { happenings, Turmoil, type Happening } from './harness/turmoil.js';
import { Fixture } from './harness/fixture.js';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start();
});
afterAll(() => fixture.close());

/** Long runs use other incidents each time; `npm test` always uses the same ones. */
const runs = process.env['INTERLOCK_LONG_TESTS'] === '1' ? { numRuns: 12 } : { numRuns: 4, seed: 11 };

const atForge = { what: 'kill', at: 'forge' } as const;
const atCluster = { what: 'kill', at: 'cluster' } as const;

it.each<[string, Happening[]]>([
  ...[0, 1, 2, 3, 4].map((skip): [string, Happening[]] => [
    `killed after write ${skip + 1} at the forge, then routed elsewhere`,
    [{ ...atForge, moment: 'after', skip }, { what: 'reroute' }],
  ]),
  ...[0, 1, 2, 3].map((skip): [string, Happening[]] => [
    `killed after status ${skip + 1}, with a broken configuration`,
    [{ ...atCluster, moment: 'after', skip }, { what: 'break' }, { what: 'emitAgain' }],
  ]),
  ...[0, 1, 2, 3].map((skip): [string, Happening[]] => [
    `killed after write ${skip + 1} at the forge, then cancelled`,
    [{ ...atForge, moment: 'after', skip }, { what: 'cancel' }],
  ]),
  [
    'the event is deleted while the pull request is not recorded',
    [{ ...atForge, moment: 'after', skip: 3 }, { what: 'vanish' }],
  ],
  ['a user closes an unrecorded pull request', [{ ...atForge, moment: 'after', skip: 3 }, { what: 'close' }]],
  ['a user merges an unrecorded pull request', [{ ...atForge, moment: 'after', skip: 3 }, { what: 'merge' }]],
])('%s', async (name, list) => {
  const turmoil = await Turmoil.begin(fixture, `se-${name.replace(/[^a-z0-9]+/g, '-')}`);
  await turmoil.run(list);
  expect(await turmoil.problems(await turmoil.calm())).toEqual([]);
});

it('has at most one pull request and one branch, and a correct status, whatever happens', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(happenings, async (list) => {
      const turmoil = await Turmoil.begin(fixture, `se-${++count}`);
      await turmoil.run(list);
      const status = await turmoil.calm();
      expect(await turmoil.problems(status)).toEqual([]);
    }),
    { ...runs, endOnFailure: true },
  );
}, 600_000);
