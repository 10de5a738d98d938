import { describe, expect, it } from '@jest/globals';
import { keyOf, labels, type CommitStatus } from '@interlock/api';
import fc from 'fast-check';
import { promotionStrategy } from '../testing/objects.js';
import { commitStatus, sha } from './testing/builders.js';
import { StatusReads } from './status-reads.js';
import { byCommit, findStatuses } from './statuses.js';

const strategy = promotionStrategy();
const commits = [sha('aa'), sha('bb'), sha('cc')];

const changes = fc
  .record({
    name: fc.constantFrom('one', 'two'),
    key: fc.constantFrom('lint', 'other'),
    commit: fc.constantFrom(...commits),
    phase: fc.constantFrom('success' as const, 'failure' as const),
    branch: fc.constantFrom('dev', 'prod', undefined),
  })
  .map(({ name, key, commit, phase, branch }): CommitStatus => {
    const status = commitStatus(name, key, commit, phase);
    const given = {
      ...status.metadata.labels,
      ...(branch !== undefined && { [labels.activeBranch]: branch }),
    };
    return { ...status, metadata: { ...status.metadata, labels: given } };
  });

describe('the readers of a CommitStatus', () => {
  it('are all objects whose findings its old or its new state changes', () => {
    const observe = (reads: StatusReads, statuses: CommitStatus[]) =>
      findStatuses(['lint'], commits[0], reads.recorded(strategy, byCommit(statuses)), { branch: 'dev' });
    const check = (known: CommitStatus[], old: CommitStatus, next: CommitStatus): void => {
      const reads = new StatusReads();
      const before = observe(reads, [...known, old]);
      const isWoken = [old, next].some((status) => reads.isReader(strategy, status));
      const after = observe(reads, [...known, next]);
      const isConcerned = JSON.stringify(before) !== JSON.stringify(after);
      expect(isWoken || !isConcerned).toBe(true);
    };
    fc.assert(fc.property(fc.array(changes, { maxLength: 2 }), changes, changes, check), { numRuns: 500 });
  });

  it('read the commits of the last observation only, each from when it is read', () => {
    const reads = new StatusReads();
    const [first, second, third] = commits.map((commit) => commitStatus('lint', 'lint', commit, 'success'));
    const read = () => [first!, second!, third!].map((status) => reads.isReader(strategy, status));
    expect(read()).toEqual([false, false, false]);
    reads.recorded(strategy, byCommit([]))(commits[0]!);
    expect(read()).toEqual([true, false, false]);
    const statusesFor = reads.recorded(strategy, byCommit([]));
    expect(read()).toEqual([false, false, false]);
    statusesFor(commits[1]!);
    expect(read()).toEqual([false, true, false]);
    statusesFor(commits[2]!);
    expect(read()).toEqual([false, true, true]);
    reads.forget(keyOf(strategy));
    expect(read()).toEqual([false, false, false]);
  });
});
