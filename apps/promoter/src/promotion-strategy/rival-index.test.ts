import { describe, expect, it } from '@jest/globals';
import { keyOf, keyString, PromotionStrategy } from '@interlock/api';
import { MemoryCache } from '@interlock/kube/testing';
import fc from 'fast-check';
import { promotionStrategy } from '../testing/objects.js';
import { strategyProblem } from './problem.js';
import { addRivalIndex, rivalsAmong } from './rival-index.js';

const repository = { namespace: 'team', name: 'repo' };
const names = ['shop', 'shop-a', 'shop-a-b', 'web'];

const deep = 'x/y/z/1/2/3/4/5/6';

/** Yields specs whose branches, folders, proposed branches and children often collide. */
const specs = fc.record(
  {
    dryBranch: fc.constantFrom('main', 'a', 'a-b', 'b-next'),
    proposedBranchSuffix: fc.constantFrom('-next', '-b', '-next/x'),
    activePath: fc.constantFrom('x', 'x/y', 'x/yz', 'x/y/z', deep, `${deep}/a`, `${deep}/ab`),
    environments: fc.uniqueArray(
      fc.record({
        branch: fc.constantFrom('a', 'a-b', 'b', 'a-next/x'),
        autoMerge: fc.constant(true),
        dependsOn: fc.constant<string[]>([]),
      }),
      { minLength: 1, maxLength: 3, selector: ({ branch }) => branch },
    ),
  },
  { requiredKeys: ['dryBranch', 'proposedBranchSuffix', 'environments'] },
);

const strategies = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom(...names),
    spec: specs,
    creationTimestamp: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'),
    isDeleted: fc.boolean(),
  }),
  { minLength: 2, selector: ({ name }) => name },
);

type Drawn = typeof strategies extends fc.Arbitrary<(infer One)[]> ? One : never;

const build = ({ name, spec, creationTimestamp, isDeleted }: Drawn): PromotionStrategy =>
  promotionStrategy({
    metadata: {
      name,
      uid: `uid-of-${name}`,
      creationTimestamp,
      ...(isDeleted && { deletionTimestamp: '2026-01-03T00:00:00Z' }),
    },
    spec: { ...spec, repoRef: { name: 'repo' } },
  });

function cacheOf(...all: PromotionStrategy[]): MemoryCache<PromotionStrategy> {
  const cache = new MemoryCache(PromotionStrategy, ...all);
  addRivalIndex(cache);
  return cache;
}

const rivalNames = (cache: MemoryCache<PromotionStrategy>, strategy: PromotionStrategy): string[] =>
  rivalsAmong(cache, [repository], strategy).map(({ metadata }) => metadata.name);

describe('the rivals of a strategy', () => {
  it('are all strategies on which its problem depends', () => {
    const check = (drawn: Drawn[]): void => {
      const all = drawn.map(build);
      const cache = cacheOf(...all);
      for (const one of all) {
        const rivals = rivalsAmong(cache, [repository], one);
        expect(strategyProblem(one, rivals)?.reason).toBe(strategyProblem(one, all)?.reason);
      }
    };
    fc.assert(fc.property(strategies, check), { numRuns: 200 });
  });

  it('are the strategies whose problem a change of the strategy changes, in its old or its new state', () => {
    const check = (drawn: Drawn[], next: Drawn['spec'], isDeleted: boolean): void => {
      const [old, ...others] = drawn.map(build);
      const [first] = drawn;
      if (old === undefined || first === undefined) return;
      const changed = build({ ...first, spec: next, isDeleted });
      const cache = cacheOf(changed, ...others);
      const woken = [...rivalNames(cache, old), ...rivalNames(cache, changed)];
      const concerned = others.filter(
        (one) =>
          strategyProblem(one, [old, ...others])?.message !==
          strategyProblem(one, [changed, ...others])?.message,
      );
      expect(woken).toEqual(expect.arrayContaining(concerned.map(({ metadata }) => metadata.name)));
    };
    fc.assert(fc.property(strategies, specs, fc.boolean(), check), { numRuns: 200 });
  });

  it('include a strategy that needs a child of the same name', () => {
    const of = (name: string, branch: string): PromotionStrategy =>
      promotionStrategy({ metadata: { name }, spec: { environments: [{ branch, autoMerge: true }] } });
    const shop = of('shop', 'eu-prod');
    expect(rivalNames(cacheOf(shop, of('shop-eu', 'prod')), shop)).toEqual(['shop', 'shop-eu']);
  });

  it('are found with few entries and searches, whatever the depth of the folder and the number of GitRepositories', () => {
    const strategy = promotionStrategy({ spec: { activePath: Array(75).fill('a').join('/') } });
    let entries = 0;
    addRivalIndex({ addIndex: (_name, values) => void (entries = values(strategy).length) });
    let searches = 0;
    const strategies = { byIndex: () => [strategy].filter(() => ++searches > 0) };
    const repositories = Array.from({ length: 1000 }, (_, n) => ({ namespace: 'team', name: `repo-${n}` }));
    expect(rivalsAmong(strategies, [...repositories, repository], strategy)).toEqual([strategy]);
    const count = strategy.spec.environments.length;
    expect(entries).toBeLessThan(20 * count);
    expect(searches).toBeLessThan(20 * count);
  });

  it('do not include the strategies of other folders of the same branches, or of other repositories', () => {
    const app = (name: string, repo = 'repo'): PromotionStrategy =>
      promotionStrategy({
        metadata: { name },
        spec: { repoRef: { name: repo }, activePath: `apps/${name}` },
      });
    const all = Array.from({ length: 50 }, (_, n) => app(`s${n}`));
    const cache = cacheOf(...all, { ...app('s7', 'other'), metadata: { name: 'x', namespace: 'team' } });
    const found = rivalsAmong(cache, [repository], all[7]!).map((one) => keyString(keyOf(one)));
    expect(found).toEqual(['team/s7']);
  });
});
