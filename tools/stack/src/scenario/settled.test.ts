import { describe, expect, it } from '@jest/globals';
import { apiVersionOf, PromotionStrategy, type Check, type EnvironmentStatus } from '@interlock/api';
import { unsettled, type Tips } from './settled.js';

const tip: Tips = { active: 'a', proposed: 'p', proposedDrySHA: 'd', isOnDryBranch: true };
const check = (name: string, state: Check['state'], reason: string): Check => ({
  name,
  state,
  reason,
  message: `${name} ${reason}`,
  since: '2026-01-01T00:00:00Z',
});

function strategy(environment: Partial<EnvironmentStatus>): PromotionStrategy {
  return {
    apiVersion: apiVersionOf(PromotionStrategy),
    kind: PromotionStrategy.kind,
    metadata: { name: 'app' },
    spec: {
      repoRef: { name: 'repo' },
      dryBranch: 'main',
      environments: [{ branch: 'dev', autoMerge: true }],
      proposedBranchSuffix: '-next',
      driftPolicy: 'Overwrite',
      promotionPolicy: 'ReleaseLatest',
    },
    status: {
      environments: [
        {
          branch: 'dev',
          active: { hydratedSHA: 'a', commitStatus: 'healthy' },
          proposed: { hydratedSHA: 'p', drySHA: 'd' },
          checks: [],
          ...environment,
        },
      ],
    },
  };
}

describe('unsettled', () => {
  it.each<[string, Partial<EnvironmentStatus>, string | undefined]>([
    ['nothing is proposed', {}, undefined],
    [
      'the environment waits for a newer dry commit',
      { checks: [check('Forward', 'pending', 'Backwards')] },
      undefined,
    ],
    [
      'the environment waits for the previous environment',
      { checks: [check('Order', 'pending', 'WaitingForEnvironment')] },
      undefined,
    ],
    [
      'the environment waits for a commit newer than the reverted commit',
      { checks: [check('NotHeld', 'pending', 'Reverted')] },
      undefined,
    ],
    [
      'the previous environment failed',
      { checks: [check('Healthy', 'failure', 'ActiveStatusFailed')] },
      undefined,
    ],
    [
      'all checks have passed',
      { checks: [check('Forward', 'success', 'Descendant')] },
      'dev: being promoted',
    ],
    [
      'the previous environment is still rolling out',
      { checks: [check('Healthy', 'pending', 'WaitingForActiveStatus')] },
      'dev: Healthy WaitingForActiveStatus',
    ],
    [
      'a check of the environment is pending',
      { checks: [check('Forward', 'success', 'Descendant'), check('lint', 'pending', 'Missing')] },
      'dev: lint Missing',
    ],
    ['a check of the environment failed', { checks: [check('lint', 'failure', 'Failure')] }, undefined],
    [
      'the environment is rolling out',
      { active: { hydratedSHA: 'a', commitStatus: 'in-progress' } },
      'dev: rolling out',
    ],
    [
      'the branch changed',
      { active: { hydratedSHA: 'b', commitStatus: 'healthy' } },
      'dev: the environment branch changed',
    ],
    [
      'the proposed branch changed',
      { proposed: { hydratedSHA: 'q', drySHA: 'd' } },
      'dev: the proposed branch changed',
    ],
    [
      'the note of the proposed commit changed',
      { proposed: { hydratedSHA: 'p', drySHA: 'c' } },
      'dev: the note of the proposed commit changed',
    ],
  ])('returns what a strategy waits for, if anything, when %s', (_case, environment, expected) => {
    expect(unsettled(strategy(environment), new Map([['dev', tip]]))).toBe(expected);
  });

  it('does not wait for the checks of an environment that is held on purpose', () => {
    const held = strategy({ checks: [check('freeze', 'pending', 'Missing')] });
    expect(unsettled(held, new Map([['dev', tip]]), 'dev')).toBeUndefined();
    const ordered = strategy({ checks: [check('Healthy', 'pending', 'WaitingForActiveStatus')] });
    expect(unsettled(ordered, new Map([['dev', tip]]), 'dev')).toBe('dev: Healthy WaitingForActiveStatus');
  });

  it.each(['NotOnDryBranch', 'UnknownDryCommit'])('takes %s as final only if it is true', (reason) => {
    const refused = strategy({ checks: [check('Forward', 'pending', reason)] });
    const settled = (isOnDryBranch: boolean) =>
      unsettled(refused, new Map([['dev', { ...tip, isOnDryBranch }]]));
    expect(settled(false)).toBeUndefined();
    expect(settled(true)).toBe(`dev: Forward ${reason}`);
  });

  it('waits for an environment whose state is not reported yet', () => {
    expect(unsettled(strategy({}), new Map([['prod', tip]]))).toBe('prod: not reported yet');
  });
});
