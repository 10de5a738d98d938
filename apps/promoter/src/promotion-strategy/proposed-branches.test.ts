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

  it('cannot be the proposed branch of an environment of an older strategy', () => {
    const [first, second] = [strategy('first', 1_000, ['dev-eu']), strategy('second', 2_000, ['dev'])];
    second.spec.proposedBranchSuffix = '-eu-next';
    expect(strategyProblem(first, [first, second])).toBeUndefined();
    const problem = strategyProblem(second, [first, second]);
    expect(problem?.reason).toBe('ProposedBranchInUse');
    expect(problem?.message).toContain(
      'dev-eu-next is the proposed branch of both dev-eu (PromotionStrategy first)',
    );
  });

  it('cannot belong to two environments of a strategy', () => {
    const one = strategy('shop', 1_000, ['dev', 'dev-next/web']);
    one.spec.environments = [
      { branch: 'dev', autoMerge: true, activePath: 'web-next' },
      { branch: 'dev-next/web', autoMerge: true },
    ];
    expect(strategyProblem(one, [one])?.reason).toBe('ProposedBranchInUse');
  });
});
