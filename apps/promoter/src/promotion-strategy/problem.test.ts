import { describe, expect, it } from '@jest/globals';
import { PromotionStrategy } from '@interlock/api';
import type { RepositoryView } from '../repository/repositories.js';
import { promotionStrategy } from '../testing/objects.js';
import { observeStrategy } from './observe.js';
import { strategyProblem } from './problem.js';

const long = 'x'.repeat(199);
const named = (branch: string) => ({ environments: [{ branch, autoMerge: true }] });

describe('a branch name that the API server accepts and that cannot be used', () => {
  it.each<[string, Partial<PromotionStrategy['spec']>]>([
    ['spec.dryBranch: reference name "refs/heads/apps/.main"', { dryBranch: 'apps/.main' }],
    ['spec.environments[].branch: reference name "refs/heads/prod/-eu"', named('prod/-eu')],
    ['the proposed branch of dev: reference name "refs/heads/dev.lock"', { proposedBranchSuffix: '.lock' }],
    [`the proposed branch of ${long}: branch ${long}-next is longer`, named(long)],
    [
      `the branch in flight of ${long.slice(9)}: branch interlock/in-flight/${long.slice(9)} is longer`,
      { ...named(long.slice(9)), promotionPolicy: 'FinishInFlight' },
    ],
  ])('is reported with its field: %s', async (start, spec) => {
    const strategy = promotionStrategy({ spec });
    expect(PromotionStrategy.spec.safeParse(strategy.spec).error).toBeUndefined();
    const problem = strategyProblem(strategy, [strategy]);
    expect(problem).toMatchObject({ reason: 'InvalidBranchName', transient: false });
    expect(problem?.message).toContain(start);
    const resources = {
      strategy,
      children: [],
      others: [],
      siblings: [],
      statusesFor: () => [],
      reverts: [],
    };
    const observed = await observeStrategy(resources, {} as RepositoryView);
    expect(observed.environments).toEqual(problem);
  });
});
