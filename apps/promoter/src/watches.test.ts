import { describe, expect, it } from '@jest/globals';
import {
  conditions,
  labels,
  objectKey,
  PromotionStrategy,
  ProposedCommit,
  RevertCommit,
  type CommitStatus,
  type KubeObject,
} from '@interlock/api';
import type { HistoryReader } from '@interlock/git';
import { controllerReference, setCondition } from '@interlock/kube';
import { MemoryCache } from '@interlock/kube/testing';
import fc from 'fast-check';
import { createCaches } from './caches.js';
import type { EnvironmentFacts } from './promotion/model.js';
import { revertsInForce } from './promotion/reverts.js';
import { activePathOf } from './promotion/strategy-spec.js';
import { commitStatus, sha } from './promotion/testing/builders.js';
import type { RepositoryView } from './repository/repositories.js';
import { observeRevert } from './revert-commit/observe.js';
import { promotionStrategy, proposedCommit } from './testing/objects.js';
import { byCommit } from './promotion/statuses.js';
import { StatusReads } from './promotion/status-reads.js';
import { revertStatusKey } from './revert-commit/children.js';
import { revertCommit } from './revert-commit/testing/builders.js';
import {
  healthyChanged,
  proposedCommitsOf,
  proposedCommitsReading,
  revertsBeside,
  revertsOf,
  revertsOfStrategy,
  strategiesOf,
  strategiesReading,
  unmergedChanged,
} from './watches.js';

const waiting = (reason: string, message = 'because'): ProposedCommit =>
  proposedCommit({
    status: {
      conditions: setCondition([], { type: conditions.promoted, status: 'False', reason, message }, 1, 0),
    },
  });

type Drawn<T> = T extends fc.Arbitrary<infer One> ? One : never;

describe('unmergedChanged', () => {
  it.each([
    ['is refused', waiting('Merging'), waiting('MergeRefused'), true],
    ['is refused for another reason', waiting('MergeRefused', 'a'), waiting('MergeRefused', 'b'), true],
    ['is refused for the same reason', waiting('MergeRefused'), waiting('MergeRefused'), false],
    ['is in a queue', waiting('Merging'), waiting('InMergeQueue'), true],
    ['has no pull request', waiting('OpeningPullRequest'), waiting('PullRequestNotOpened'), true],
    ['has a pull request at last', waiting('PullRequestNotOpened'), waiting('WaitingForPerson'), true],
    ['waits for another check', waiting('Missing'), waiting('InProgress'), false],
  ])('passes a proposed commit whose merge by the SCM changed: it %s', (_case, old, object, passes) => {
    expect(unmergedChanged({ type: 'updated', old, object })).toBe(passes);
  });
});

describe('a CommitStatus', () => {
  const names = Array.from({ length: 300 }, (_, n) => `s${n}`);
  const strategies = new MemoryCache(PromotionStrategy);
  const proposedCommits = new MemoryCache(ProposedCommit);
  const all = { strategies, proposedCommits };
  const reads = new StatusReads();
  const read = (object: KubeObject, ...commits: string[]): void => {
    const statusesFor = reads.recorded(object, byCommit([]));
    commits.forEach((commit) => statusesFor(commit));
  };
  for (const name of names) {
    const strategy = promotionStrategy({ metadata: { name, uid: `uid-of-${name}` } });
    strategies.set(strategy);
    read(strategy, 'aaaa', ...(name === 's8' ? ['bbbb'] : []));
    for (const branch of ['dev', 'prod']) {
      const metadata = { name: `${name}-${branch}`, ownerReferences: [controllerReference(strategy)] };
      const proposed = proposedCommit({ metadata, spec: { activeBranch: branch } });
      proposedCommits.set(proposed);
      read(proposed, 'aaaa', ...(name === 's8' && branch === 'prod' ? ['bbbb'] : []));
    }
  }
  const labelled = (given: Record<string, string>): CommitStatus => {
    const status = commitStatus('one', 'health', 'aaaa', 'success');
    return { ...status, metadata: { ...status.metadata, labels: { ...status.metadata.labels, ...given } } };
  };

  it('that names its strategy and its environment wakes no other', () => {
    const status = labelled({ [labels.promotionStrategy]: 's7', [labels.activeBranch]: 'dev' });
    expect(strategiesOf(all, reads, status)).toEqual([objectKey('team', 's7')]);
    expect(proposedCommitsOf(all, reads, status)).toEqual([objectKey('team', 's7-dev')]);
  });

  it('that names neither wakes those that read its commit', () => {
    const status = labelled({});
    const of = (commit: string) => ({ ...status, spec: { ...status.spec, sha: commit } });
    expect(strategiesOf(all, reads, of('aaaa'))).toHaveLength(300);
    expect(proposedCommitsOf(all, reads, of('aaaa'))).toHaveLength(600);
    expect(strategiesOf(all, reads, of('bbbb'))).toEqual([objectKey('team', 's8')]);
    expect(proposedCommitsOf(all, reads, of('bbbb'))).toEqual([objectKey('team', 's8-prod')]);
    expect(strategiesOf(all, reads, of('cccc'))).toEqual([]);
  });

  it('that names another GitRepository wakes those of its namespace that read its commit', () => {
    const status = labelled({});
    const spec = { ...status.spec, sha: 'bbbb', repoRef: { name: 'again' } };
    expect(strategiesOf(all, reads, { ...status, spec })).toEqual([objectKey('team', 's8')]);
    expect(proposedCommitsOf(all, reads, { ...status, spec })).toEqual([objectKey('team', 's8-prod')]);
    const foreign = { ...status, metadata: { ...status.metadata, namespace: 'other' }, spec };
    expect(strategiesOf(all, reads, foreign)).toEqual([]);
  });

  it('wakes the reverts that read its commit, and the one that needs its name', () => {
    const [reader, other, named] = ['reader', 'other', 'named'].map((name) => ({
      ...revertCommit(),
      metadata: { name, namespace: 'team' },
    }));
    const revertCommits = new MemoryCache(RevertCommit, reader!, other!, named!);
    reads.recorded(reader!, byCommit([]))('aaaa');
    const status = labelled({});
    const { name } = revertStatusKey(named!);
    expect(revertsOf({ revertCommits }, reads, status)).toEqual([objectKey('team', 'reader')]);
    const taken = {
      ...status,
      metadata: { ...status.metadata, name },
      spec: { ...status.spec, sha: 'bbbb' },
    };
    expect(revertsOf({ revertCommits }, reads, taken)).toEqual([objectKey('team', 'named')]);
  });
});

describe('a RevertCommit', () => {
  const names = Array.from({ length: 300 }, (_, n) => `s${n}`);
  const { strategies, proposedCommits } = createCaches({ cache: (kind) => new MemoryCache(kind) });
  const strategyCache = strategies as MemoryCache<PromotionStrategy>;
  const proposedCache = proposedCommits as MemoryCache<ProposedCommit>;
  for (const name of names) {
    const [activePath, environments] = [
      `apps/${name}`,
      ['dev', 'prod'].map((branch) => ({ branch, autoMerge: true })),
    ];
    strategyCache.set(
      promotionStrategy({ metadata: { name, uid: `uid-of-${name}` }, spec: { activePath, environments } }),
    );
    for (const { branch } of environments)
      proposedCache.set(
        proposedCommit({
          metadata: { name: `${name}-${branch}` },
          spec: { activeBranch: branch, activePath },
        }),
      );
  }
  const all = { strategies, proposedCommits };

  it('wakes the strategy and the proposed commit of its environment, and no other', () => {
    const revert = revertCommit({ activeBranch: 'prod', activePath: 'apps/s7' });
    expect(strategiesReading(all, revert)).toEqual([objectKey('team', 's7')]);
    expect(proposedCommitsReading(all, revert)).toEqual([objectKey('team', 's7-prod')]);
    const whole = revertCommit({ activeBranch: 'prod' });
    expect(strategiesReading(all, whole)).toEqual([]);
    expect(proposedCommitsReading(all, whole)).toEqual([]);
  });

  it('wakes the strategy that created it, although the strategy no longer has the environment', () => {
    const owner = strategies.get(objectKey('team', 's8'))!;
    const revert = revertCommit({ activeBranch: 'qa', activePath: 'apps/s8' });
    const owned = {
      ...revert,
      metadata: { ...revert.metadata, ownerReferences: [controllerReference(owner)] },
    };
    expect(strategiesReading(all, owned)).toEqual([objectKey('team', 's8')]);
  });

  it('wakes each object in whose environment it is in force', async () => {
    const branch = fc.constantFrom('dev', 'prod');
    const activePath = fc.constantFrom('x', 'y', undefined);
    const drawn = fc.record({ branch, activePath, own: activePath, ofRevert: branch, path: activePath });
    const check = async ({ branch: name, activePath: common, own, ofRevert, path }: Drawn<typeof drawn>) => {
      const environment = { branch: name, autoMerge: true, activePath: own };
      const strategy = promotionStrategy({ spec: { activePath: common, environments: [environment] } });
      const folder = activePathOf(strategy, environment);
      const proposed = proposedCommit({ spec: { activeBranch: name, activePath: folder } });
      const revert = revertCommit({ activeBranch: ofRevert, activePath: path }, { inForce: true });
      const facts = { branch: name, activePath: folder } as EnvironmentFacts;
      const isInForce = (await revertsInForce({} as HistoryReader, facts, [revert])).length > 0;
      const reading = [
        ...strategiesReading({ strategies: { byIndex: () => [strategy] } }, revert),
        ...proposedCommitsReading({ proposedCommits: { byIndex: () => [proposed] } }, revert),
      ];
      expect(reading).toHaveLength(isInForce ? 2 : 0);
    };
    await fc.assert(fc.asyncProperty(drawn, check), { numRuns: 200 });
  });
});

describe('a strategy', () => {
  it.each<[string, PromotionStrategy['status'], boolean]>([
    ['its conditions', { conditions: [] }, false],
    ['the commits of an environment', { environments: [{ branch: 'dev', behind: 3 }] }, false],
    [
      'the healthy commits of an environment',
      {
        environments: [
          { branch: 'dev', lastHealthyDrySHAs: [{ sha: sha('d1'), time: '2026-01-01T00:00:00Z' }] },
        ],
      },
      true,
    ],
  ])(
    'whose status changes wakes reverts if they choose a target from the change: %s',
    (_what, status, passes) => {
      const old = promotionStrategy({ status: { environments: [{ branch: 'dev' }] } });
      const object = promotionStrategy({ status: { environments: [{ branch: 'dev' }], ...status } });
      expect(healthyChanged({ type: 'updated', old, object })).toBe(passes);
    },
  );

  it('wakes the reverts of its environments when its status changes, and those of its branches when its spec does', () => {
    const of = (name: string, activeBranch: string, path: string) => ({
      ...revertCommit({ activeBranch, activePath: path }),
      metadata: { name, namespace: 'team' },
    });
    const reverts = [of('own', 'dev', 'x'), of('beside', 'dev', 'y'), of('other', 'prod', 'x')];
    const revertCommits = { byIndex: () => reverts };
    const strategy = promotionStrategy({ spec: { activePath: 'x' } });
    const names = (keys: readonly { name: string }[]) => keys.map(({ name }) => name);
    expect(names(revertsOfStrategy({ revertCommits }, strategy))).toEqual(['own']);
    expect(names(revertsBeside({ revertCommits }, strategy))).toEqual(['own', 'beside']);
  });

  it('wakes each revert whose observation a change of its spec changes', async () => {
    const branches = fc.uniqueArray(fc.constantFrom('dev', 'prod', 'qa'), { minLength: 1 });
    const activePath = fc.constantFrom('x', 'y', undefined);
    const specs = fc.record({ branches, activePath, hold: fc.constantFrom({ reason: 'audit' }, undefined) });
    const build = (name: string, { branches: all, activePath: path, hold }: Drawn<typeof specs>) =>
      promotionStrategy({
        metadata: { name },
        spec: {
          activePath: path,
          environments: all.map((branch) => ({ branch, autoMerge: true, ...(hold && { hold }) })),
        },
      });
    const drawn = fc.record({ old: specs, next: specs, other: specs, path: activePath });
    const view = { mirror: { at: () => ({}) }, refs: new Map() } as unknown as RepositoryView;
    const check = async ({ old, next, other, path }: Drawn<typeof drawn>): Promise<void> => {
      const revert = revertCommit({ activeBranch: 'dev', ...(path !== undefined && { activePath: path }) });
      const revertCommits = { byIndex: () => [revert] };
      const observe = async (strategy: PromotionStrategy) =>
        JSON.stringify(
          await observeRevert(
            {
              revertCommit: revert,
              pullRequest: undefined,
              strategies: [strategy, build('other', other)],
              reverts: [revert],
              statusesFor: byCommit([]),
            },
            view,
          ),
        );
      const [before, after] = [build('one', old), build('one', next)];
      const isWoken = [before, after].some((one) => revertsBeside({ revertCommits }, one).length > 0);
      expect(isWoken || (await observe(before)) === (await observe(after))).toBe(true);
    };
    await fc.assert(fc.asyncProperty(drawn, check), { numRuns: 300 });
  });
});
