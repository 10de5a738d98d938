import { describe, expect, it } from '@jest/globals';
import type { PromotionStrategy } from '@interlock/api';
import { promotionStrategy } from '../testing/objects.js';
import { strategyProblem } from './problem.js';

function strategy(name: string, created: number, branches: string[], dryBranch = 'main'): PromotionStrategy {
  return promotionStrategy({
    metadata: { name, creationTimestamp: new Date(created).toISOString() },
    spec: { dryBranch, environments: branches.map((branch) => ({ branch, autoMerge: true })) },
  });
}

describe('a proposed branch, to which the promoter pushes without a check,', () => {
  it.each([
    ['an environment branch of the strategy', strategy('shop', 1_000, ['dev', 'dev-next'])],
    ['the dry branch of the strategy', strategy('shop', 1_000, ['dev'], 'dev-next')],
  ])('cannot be %s', (_, one) => {
    const problem = strategyProblem(one, [one]);
    expect(problem).toMatchObject({ reason: 'ProposedBranchInUse', transient: false });
    expect(problem?.message).toContain('dev-next');
  });

  it.each([
    ['an environment branch', strategy('second', 2_000, ['dev-next'])],
    ['the dry branch', strategy('second', 2_000, ['prod'], 'dev-next')],
  ])('of an older strategy cannot be %s of a younger one', (_, second) => {
    const first = strategy('first', 1_000, ['dev']);
    expect(strategyProblem(first, [first, second])).toBeUndefined();
    const problem = strategyProblem(second, [first, second]);
    expect(problem?.reason).toBe('ProposedBranchInUse');
    expect(problem?.message).toContain('PromotionStrategy first');
  });

  it('of a younger strategy cannot be an environment branch of an older one', () => {
    const [first, second] = [strategy('first', 1_000, ['dev-next']), strategy('second', 2_000, ['dev'])];
    expect(strategyProblem(first, [first, second])).toBeUndefined();
    expect(strategyProblem(second, [first, second])?.reason).toBe('ProposedBranchInUse');
  });
});
