import { describe, expect, it } from '@jest/globals';
import type { PromotionStrategy } from '@interlock/api';
import { promotionStrategy } from '../testing/objects.js';
import { overlapProblem } from './overlap.js';

function strategy(name: string, created: number, branch: string, activePath?: string): PromotionStrategy {
  return promotionStrategy({
    metadata: { name, creationTimestamp: new Date(created).toISOString() },
    spec: { environments: [{ branch, autoMerge: true }], ...(activePath !== undefined && { activePath }) },
  });
}

describe('two strategies', () => {
  it.each([
    ['overlap if they have the same branch', undefined, undefined, true],
    ['overlap if they have the same folder', 'apps/a', 'apps/a', true],
    ['overlap if the folder of one contains the folder of the other', 'apps', 'apps/a', true],
    ['overlap if one has the branch and the other has a folder of the branch', undefined, 'apps/a', true],
    ['do not overlap if neither folder contains the other', 'apps/a', 'apps/ab', false],
  ])('%s', (_, older, younger, overlapping) => {
    const first = strategy('first', 1_000, 'dev', older);
    const second = strategy('second', 2_000, 'dev', younger);
    const all = [second, first];
    expect(overlapProblem(first, all)).toBeUndefined();
    const problem = overlapProblem(second, all);
    expect(problem?.reason).toBe(overlapping ? 'OverlappingEnvironment' : undefined);
    if (overlapping) expect(problem?.message).toContain('PromotionStrategy first');
  });

  it('of different branches do not overlap', () => {
    const second = strategy('second', 2_000, 'prod');
    expect(overlapProblem(second, [strategy('first', 1_000, 'dev'), second])).toBeUndefined();
  });

  it('created at the same time are ordered by name', () => {
    const [a, b] = [strategy('a', 1_000, 'dev'), strategy('b', 1_000, 'dev')];
    expect(overlapProblem(a, [b])).toBeUndefined();
    expect(overlapProblem(b, [a])?.reason).toBe('OverlappingEnvironment');
  });
});
