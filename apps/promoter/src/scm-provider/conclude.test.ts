import { describe, expect, it } from '@jest/globals';
import { ScmProvider, typeMeta } from '@interlock/api';
import { concludeProvider } from './conclude.js';

const provider: ScmProvider = {
  ...typeMeta(ScmProvider),
  metadata: { name: 'forge', namespace: 'team', generation: 3 },
  spec: { secretRef: { name: 'forge' }, github: {} },
};

describe('a provider that was checked', () => {
  it('has the conditions that were decided, for its generation', () => {
    const conditions = [
      { type: 'Ready', status: 'True', lastTransitionTime: '', reason: 'Usable', message: '' } as const,
    ];
    const { status } = concludeProvider({ provider }, { conditions }, 60_000);
    expect(status).toEqual({ observedGeneration: 3, conditions });
  });

  it.each([
    ['after the interval when nothing falls due', undefined, 60_000],
    ['when a problem of its calls becomes a condition', 40_000, 40_000],
    ['after the interval when something falls due later', 300_000, 60_000],
  ])('is checked again %s', (_, dueInMs, expected) => {
    const decision = { conditions: [], dueInMs };
    expect(concludeProvider({ provider }, decision, 60_000).requeueAfterMs).toBe(expected);
  });
});
