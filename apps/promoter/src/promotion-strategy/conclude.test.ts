import { describe, expect, it } from '@jest/globals';
import { RevertCommit, TypedError, typeMeta } from '@interlock/api';
import { Failure } from '@interlock/kube';
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

describe('a strategy after the act', () => {
  it('has the status that was decided, and is reconciled again at the time that was decided', () => {
    expect(concludeStrategy(decision, [])).toEqual({
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
    expect(concludeStrategy(decision, [revert]).happened).toEqual([
      {
        type: 'Normal',
        reason: 'RevertBegun',
        action: 'Promote',
        note: 'RevertCommit shop-dev-a1: d200000 is not healthy',
      },
    ]);
  });

  it('keeps its status when some of its children were not applied', () => {
    const failure = new Failure(new TypedError('Transient', 'no answer'), true);
    expect(concludeStrategy(decision, failure)).toEqual({});
  });
});
