import { describe, expect, it } from '@jest/globals';
import {
  conditions,
  labels,
  objectKey,
  PromotionStrategy,
  ProposedCommit,
  type CommitStatus,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import { controllerReference, setCondition } from '@interlock/kube';
import { MemoryCache } from '@interlock/kube/testing';
import { createCaches } from './caches.js';
import { commitStatus } from './promotion/testing/builders.js';
import { promotionStrategy, proposedCommit } from './testing/objects.js';
import { proposedCommitsOf, strategiesOf, unmergedChanged } from './watches.js';

const waiting = (reason: string, message = 'because'): ProposedCommit =>
  proposedCommit({
    status: {
      conditions: setCondition([], { type: conditions.promoted, status: 'False', reason, message }, 1, 0),
    },
  });

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
  const caches = createCaches({ cache: <T extends KubeObject>(kind: Kind<T>) => new MemoryCache(kind) });
  const strategies = new MemoryCache(PromotionStrategy);
  const proposedCommits = new MemoryCache(ProposedCommit);
  const all = { ...caches, strategies, proposedCommits };
  for (const cache of [strategies, proposedCommits]) cache.addIndex('repository', () => ['team/repo']);
  for (const name of names) {
    const strategy = promotionStrategy({ metadata: { name, uid: `uid-of-${name}` } });
    strategies.set(strategy);
    for (const branch of ['dev', 'prod']) {
      const metadata = { name: `${name}-${branch}`, ownerReferences: [controllerReference(strategy)] };
      proposedCommits.set(proposedCommit({ metadata, spec: { activeBranch: branch } }));
    }
  }
  const labelled = (given: Record<string, string>): CommitStatus => {
    const status = commitStatus('one', 'health', 'aaaa', 'success');
    return { ...status, metadata: { ...status.metadata, labels: { ...status.metadata.labels, ...given } } };
  };

  it('that names its strategy and its environment wakes no other of the repository', () => {
    const status = labelled({ [labels.promotionStrategy]: 's7', [labels.activeBranch]: 'dev' });
    expect(strategiesOf(all, status)).toEqual([objectKey('team', 's7')]);
    expect(proposedCommitsOf(all, status)).toEqual([objectKey('team', 's7-dev')]);
  });

  it('that names neither wakes all of the repository', () => {
    expect(strategiesOf(all, labelled({}))).toHaveLength(300);
    expect(proposedCommitsOf(all, labelled({}))).toHaveLength(600);
  });
});
