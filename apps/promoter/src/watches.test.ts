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
import { controllerReference, setCondition } from '@interlock/kube';
import { MemoryCache } from '@interlock/kube/testing';
import { commitStatus } from './promotion/testing/builders.js';
import { promotionStrategy, proposedCommit } from './testing/objects.js';
import { byCommit } from './promotion/statuses.js';
import { StatusReads } from './promotion/status-reads.js';
import { revertStatusKey } from './revert-commit/children.js';
import { revertCommit } from './revert-commit/testing/builders.js';
import { proposedCommitsOf, revertsOf, strategiesOf, unmergedChanged } from './watches.js';

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
