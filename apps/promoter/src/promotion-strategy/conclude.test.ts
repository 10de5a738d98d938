import { describe, expect, it } from '@jest/globals';
import { RevertCommit, TypedError, typeMeta } from '@interlock/api';
import { Failure, getCondition } from '@interlock/kube';
import { promotionStrategy } from '../testing/objects.js';
import { sha } from '../promotion/testing/builders.js';
import { concludeStrategy } from './conclude.js';
import type { StrategyDecision } from './decide.js';

const decision: StrategyDecision = {
  proposedCommits: [],
  obsolete: [],
  commitStatuses: [],
  reverts: { create: [], obsolete: [] },
  status: { observedGeneration: 2, conditions: [] },
  transitions: [],
  requeueAfterMs: 5,
};

const status = { observedGeneration: 1, dryTipSHA: sha('d1') };
const strategy = promotionStrategy({ metadata: { generation: 2 }, status });
const conclude = (outcome: Parameters<typeof concludeStrategy>[2]) =>
  concludeStrategy({ strategy }, decision, outcome, 0);

describe('a strategy after the act', () => {
  it('has the status that was decided, and is reconciled again at the time that was decided', () => {
    expect(conclude([])).toEqual({
      status: decision.status,
      requeueAfterMs: 5,
      happened: [],
    });
  });

  it('reports each revert that was begun', () => {
    const revert = {
      ...typeMeta(RevertCommit),
      metadata: { name: 'shop-dev-a1' },
      spec: { reason: 'd200000 is not healthy' },
    };
    expect(conclude([revert]).happened).toEqual([
      {
        type: 'Normal',
        reason: 'RevertBegun',
        action: 'Promote',
        note: 'RevertCommit shop-dev-a1: d200000 is not healthy',
      },
    ]);
  });

  it.each([
    ['may pass by itself', new Failure(new TypedError('Transient', 'no answer'), false)],
    ['is a conflict', new Failure(new TypedError('Conflict', 'it changed'), true)],
  ])('keeps its status when some of its children were not applied for a reason that %s', (_case, failure) => {
    expect(conclude(failure)).toEqual({ status });
  });

  it('reports that some of its children are not accepted, and nothing else of what was decided', () => {
    const failure = new Failure(
      new TypedError('Invalid', 'PATCH dev: too long', { reason: 'Invalid' }),
      true,
    );
    const after = conclude(failure).status;
    expect(after).toMatchObject({ dryTipSHA: status.dryTipSHA, observedGeneration: 2 });
    expect(getCondition(after?.conditions, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Invalid',
      message: 'PATCH dev: too long',
    });
  });
});
