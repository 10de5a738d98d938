import { describe, expect, it } from '@jest/globals';
import {
  CommitStatus,
  labels,
  PromotionStrategy,
  ProposedCommit,
  type PromotionStrategyStatus,
} from '@interlock/api';
import { Problem } from '@interlock/base';
import { setCondition } from '@interlock/kube';
import { commit, d1, d2, d3, environment, finding, main, sha } from '../promotion/testing/builders.js';
import { promotionStrategy, proposedCommit } from '../testing/objects.js';
import { decideStrategy } from './decide.js';
import type { ObservedStrategy, StrategyEnvironment } from './observed.js';

const now = Date.parse('2026-01-01T00:00:00Z');

function strategy(
  spec: Partial<PromotionStrategy['spec']> = {},
  status?: PromotionStrategyStatus,
): PromotionStrategy {
  const environments = [
    { branch: 'dev', autoMerge: true },
    { branch: 'prod', autoMerge: false },
  ];
  return promotionStrategy({ metadata: { generation: 2 }, spec: { environments, ...spec }, status });
}

function observed(
  branch: string,
  active: string,
  proposed: string,
  more: Partial<StrategyEnvironment> = {},
): StrategyEnvironment {
  return {
    ...environment(branch, active, proposed),
    proposedStatuses: [],
    history: [],
    deployments: [],
    ...more,
  };
}

/* dev runs the new commit and prod waits for dev's health, by default. */
const devHealth = (phase: 'success' | 'in_progress' | 'failure') => [
  observed('dev', d2, d2, { activeStatuses: [finding('health', phase)] }),
  observed('prod', d1, d2, { dependsOn: ['dev'] }),
];

function decide(more: Partial<ObservedStrategy> = {}) {
  return decideStrategy(
    {
      strategy: strategy(),
      environments: devHealth('in_progress'),
      dryBranch: main(),
      children: [],
      others: [],
      siblings: [],
      reverts: [],
      ...more,
    },
    now,
  );
}

const specsOf = (configurations: readonly Record<string, unknown>[]) =>
  configurations.map(({ spec }) => spec);
const conditionOf = (decision: ReturnType<typeof decide>, type: string) =>
  decision.status.conditions?.find((condition) => condition.type === type);

describe('children', () => {
  it('are one ProposedCommit for each environment, with all the keys that it requires', () => {
    const asking = strategy({
      activeCommitStatuses: [{ key: 'health' }],
      proposedCommitStatuses: [{ key: 'lint' }],
      environments: [
        { branch: 'dev', autoMerge: true },
        { branch: 'prod', autoMerge: false, proposedCommitStatuses: [{ key: 'freeze' }, { key: 'lint' }] },
      ],
    });
    const { proposedCommits } = decide({ strategy: asking });
    expect(specsOf(proposedCommits)).toMatchObject([
      { activeBranch: 'dev', proposedBranch: 'dev-next', autoMerge: true },
      {
        activeBranch: 'prod',
        autoMerge: false,
        commitStatuses: {
          proposed: [{ key: 'lint' }, { key: 'freeze' }, { key: 'promotion' }],
          active: [{ key: 'health' }],
        },
      },
    ]);
    expect(proposedCommits[0]?.metadata).toMatchObject({ name: 'shop-dev', namespace: 'team' });
  });

  it('are accepted by the API server, however many keys a strategy may require', () => {
    const keys = (name: string) => Array.from({ length: 32 }, (_, n) => ({ key: `${name}-${n}` }));
    const [of, own] = [keys('of'), keys('own')];
    const environment = { branch: 'dev', activeCommitStatuses: own, proposedCommitStatuses: own };
    const asking = strategy({
      activeCommitStatuses: of,
      proposedCommitStatuses: of,
      environments: [{ ...environment, autoMerge: true }],
    });
    expect(PromotionStrategy.spec.safeParse(asking.spec).error).toBeUndefined();
    const [child] = decide({ strategy: asking }).proposedCommits;
    expect(ProposedCommit.spec.safeParse(child?.spec).error).toBeUndefined();
  });

  it('of removed environments are deleted, and no other children', () => {
    const children = ['shop-dev', 'shop-staging'].map((name) => proposedCommit({ metadata: { name } }));
    const { obsolete } = decide({ children });
    expect(obsolete).toEqual([{ namespace: 'team', name: 'shop-staging' }]);
  });
});

describe('the promotion CommitStatus', () => {
  it.each([
    ['success', 'success', 'all preceding environments'],
    ['in_progress', 'in_progress', 'health of dev is in_progress'],
    ['failure', 'failure', 'health of dev is failure'],
  ] as const)('is derived from the health of the preceding environment: %s', (phase, expected, text) => {
    const { commitStatuses } = decide({ environments: devHealth(phase) });
    expect(commitStatuses).toHaveLength(1);
    expect(commitStatuses[0]).toMatchObject({
      kind: CommitStatus.kind,
      metadata: { labels: { [labels.commitStatusKey]: 'promotion' } },
      spec: { phase: expected, sha: sha('b1'), repoRef: { name: 'repo' } },
    });
    expect((commitStatuses[0]?.['spec'] as CommitStatus['spec']).description).toContain(text);
  });

  it('is not written if nothing is proposed', () => {
    const { commitStatuses } = decide({ environments: [observed('dev', d1, d1)] });
    expect(commitStatuses).toEqual([]);
  });
});

describe('a strategy', () => {
  it('shows what is active and proposed, and what the promotion waits for', () => {
    const [dev, prod] = decide().status.environments ?? [];
    expect(dev).toMatchObject({
      branch: 'dev',
      active: { drySHA: d2, commitStatus: 'in-progress' },
      checks: [],
    });
    expect(prod).toMatchObject({ active: { drySHA: d1, commitStatus: 'healthy' }, proposed: { drySHA: d2 } });
    expect(prod?.checks?.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'Forward success',
      'Order success',
      'Healthy pending',
      'NotHeld success',
    ]);
    expect(conditionOf(decide(), 'Promoted')).toMatchObject({ status: 'False', reason: 'Waiting' });
  });

  it('shows the answer of the SCM beside a key of the same name', () => {
    const environments = [observed('dev', d1, d2, { proposedStatuses: [finding('Merge', 'success')] })];
    const refused = {
      type: 'Promoted',
      status: 'False',
      reason: 'MergeRefused',
      message: 'blocked',
    } as const;
    const child = proposedCommit({
      status: { proposed: { hydratedSHA: sha('b1') }, conditions: setCondition([], refused, 1, 0) },
    });
    const names = decide({ environments, children: [child] }).status.environments?.[0]?.checks?.map(
      ({ name }) => name,
    );
    expect(names).toEqual(['Forward', 'Order', 'Healthy', 'NotHeld', 'Merge', 'key Merge']);
  });

  it('shows each key that the proposed commit requires, after the rules', () => {
    const lint = finding('lint', 'in_progress');
    const environments = [observed('dev', d1, d2, { proposedStatuses: [lint, finding('Order', 'success')] })];
    const decision = decide({ environments });
    expect(decision.status.environments?.[0]?.checks?.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'Forward success',
      'Order success',
      'Healthy success',
      'NotHeld success',
      'lint pending',
      'key Order success',
    ]);
    expect(conditionOf(decision, 'Promoted')).toMatchObject({
      status: 'False',
      reason: 'Waiting',
      message: `dev: lint: ${lint.message}`,
    });
    expect((decision.commitStatuses[0]?.['spec'] as CommitStatus['spec']).phase).toBe('success');
  });

  it('shows a dry commit that changed nothing as active once the preceding environments run it', () => {
    const environments = [
      observed('dev', d2, d2),
      observed('prod', d1, d2, { dependsOn: ['dev'], proposed: commit('b1', d2, 'd1e'), unchangedBy: [d2] }),
    ];
    const prod = decide({ environments }).status.environments?.[1];
    expect(prod).toMatchObject({ active: { drySHA: d2 }, proposed: { drySHA: d2 }, checks: [] });
  });

  it('is not known to be promoted when a branch is missing, or the newest dry commit is not hydrated', () => {
    const { active: _active, ...missing } = observed('dev', d1, d2);
    expect(conditionOf(decide({ environments: [missing] }), 'Promoted')).toMatchObject({
      status: 'Unknown',
      reason: 'BranchNotFound',
    });
    const late = conditionOf(decide({ environments: [observed('dev', d2, d2)] }), 'Promoted');
    expect(late).toMatchObject({ status: 'Unknown', reason: 'NotHydrated' });
    expect(late?.message).toContain('main is at d300000, which is not hydrated for dev');
    const noop = observed('dev', d2, d2, { unchangedBy: [d3] });
    expect(conditionOf(decide({ environments: [noop] }), 'Promoted')).toMatchObject({ status: 'True' });
  });

  it('shows the tip of the dry branch, and how far an environment is behind', () => {
    const { status } = decide({ environments: [observed('dev', d3, d3)] });
    expect(status).toMatchObject({ dryTipSHA: d3, environments: [{ branch: 'dev', behind: 0 }] });
  });

  it('is promoted when an SCM deleted the proposed branch after its commit was promoted', () => {
    const { proposed: _proposed, ...merged } = observed('dev', d3, d3);
    const known = decide({ environments: [{ ...merged, promotedSHA: sha('b1') }] });
    expect(conditionOf(known, 'Ready')).toMatchObject({ status: 'True' });
    expect(conditionOf(known, 'Promoted')).toMatchObject({ status: 'True', reason: 'UpToDate' });
    const never = decide({ environments: [merged] });
    expect(conditionOf(never, 'Promoted')).toMatchObject({
      status: 'Unknown',
      reason: 'ProposedBranchNotFound',
    });
  });

  it('is up to date when nothing is proposed', () => {
    const decision = decide({ environments: [observed('dev', d3, d3)] });
    expect(conditionOf(decision, 'Promoted')).toMatchObject({ status: 'True', reason: 'UpToDate' });
    expect(conditionOf(decision, 'Ready')).toMatchObject({ status: 'True' });
  });
});

describe('lastHealthyDrySHAs', () => {
  const healthy = (drySHA: string, name: string) => [
    observed('dev', drySHA, drySHA, {
      active: commit(name, drySHA),
      activeStatuses: [finding('health', 'success')],
    }),
  ];
  const after = (status: PromotionStrategyStatus | undefined, environments: readonly StrategyEnvironment[]) =>
    decide({ strategy: strategy({}, status), environments }).status;

  it('contains each active commit whose statuses are all successful once, newest first', () => {
    const first = after(undefined, healthy(d1, 'a1'));
    const again = after(first, healthy(d1, 'a1'));
    const second = after(again, healthy(d2, 'a2'));
    expect(again.environments?.[0]?.lastHealthyDrySHAs).toEqual(first.environments?.[0]?.lastHealthyDrySHAs);
    expect(second.environments?.[0]?.lastHealthyDrySHAs).toEqual([
      { sha: d2, hydratedSHA: sha('a2'), treeSHA: sha('a2'), time: '2026-01-01T00:00:00Z' },
      { sha: d1, hydratedSHA: sha('a1'), treeSHA: sha('a1'), time: '2026-01-01T00:00:00Z' },
    ]);
  });

  it('does not contain a commit that is not healthy', () => {
    const environments = [observed('dev', d1, d1, { activeStatuses: [finding('health', 'failure')] })];
    expect(after(undefined, environments).environments?.[0]?.lastHealthyDrySHAs).toEqual([]);
  });

  it('keeps the five most recent commits', () => {
    let status: PromotionStrategyStatus | undefined;
    for (let n = 1; n <= 7; n++) status = after(status, healthy(sha(`c${n}`), `a${n}`));
    expect(status?.environments?.[0]?.lastHealthyDrySHAs?.map((entry) => entry.sha)).toEqual(
      [7, 6, 5, 4, 3].map((n) => sha(`c${n}`)),
    );
  });
});

describe('a problem', () => {
  it('that is a cycle stalls the strategy, names the branches and creates nothing', () => {
    const circular = strategy({
      environments: [
        { branch: 'a', autoMerge: true, dependsOn: ['b'] },
        { branch: 'b', autoMerge: true, dependsOn: ['a'] },
      ],
    });
    const decision = decide({ strategy: circular });
    expect([decision.proposedCommits, decision.commitStatuses, decision.obsolete]).toEqual([[], [], []]);
    expect(conditionOf(decision, 'Stalled')).toMatchObject({ status: 'True', reason: 'DependencyCycle' });
    expect(conditionOf(decision, 'Stalled')?.message).toContain('a depends on b, which depends on a;');
  });

  it('that is an unknown name in a template stalls the strategy and names it', () => {
    const decision = decide({ strategy: strategy({ pullRequest: { titleTemplate: '{{ nope }}' } }) });
    expect(conditionOf(decision, 'Stalled')).toMatchObject({ reason: 'InvalidTemplate' });
    expect(conditionOf(decision, 'Stalled')?.message).toContain('"nope"');
  });

  it('that is an unreachable repository keeps the children and the known status', () => {
    const known = decide({ environments: [observed('dev', d1, d1)] }).status;
    const decision = decide({
      strategy: strategy({}, known),
      environments: new Problem('SecretNotFound', 'create it'),
    });
    expect(decision.proposedCommits).toHaveLength(2);
    expect(decision.commitStatuses).toEqual([]);
    expect(decision.status.environments).toEqual(known.environments);
    expect(conditionOf(decision, 'Ready')).toMatchObject({ status: 'False', reason: 'SecretNotFound' });
  });

  it('that is a missing branch is reported, and the other environments continue', () => {
    const { active: _active, ...missing } = observed('dev', d1, d2);
    const decision = decide({ environments: [missing, observed('other', d1, d2)] });
    expect(conditionOf(decision, 'Ready')).toMatchObject({ status: 'False', reason: 'BranchNotFound' });
    expect(decision.commitStatuses).toHaveLength(1);
  });
});
