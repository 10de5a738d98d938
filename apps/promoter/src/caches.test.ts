import { expect, it } from '@jest/globals';
import { CommitStatus } from '@interlock/api';
import { MemoryCache } from '@interlock/kube/testing';
import { commitStatusesAt, createCaches } from './caches.js';
import { commitStatus, sha } from './promotion/testing/builders.js';

it('finds the CommitStatuses of a commit, and reads no others of the namespace', () => {
  const statuses = ['aa', 'bb', 'cc'].map((commit) => commitStatus(commit, 'lint', sha(commit), 'success'));
  const abroad = { ...statuses[0]!, metadata: { name: 'aa', namespace: 'other' } };
  const cache = new MemoryCache(CommitStatus, ...statuses, abroad);
  const { commitStatuses } = createCaches({
    cache: (kind) => (kind.kind === CommitStatus.kind ? cache : new MemoryCache(kind)) as never,
  });
  let reads = 0;
  const counted = {
    byIndex(index: string, value: string) {
      const found = commitStatuses.byIndex(index, value);
      reads += found.length;
      return found;
    },
  };
  const statusesFor = commitStatusesAt({ commitStatuses: counted }, { namespace: 'team', name: 'repo' }, 0);
  expect(statusesFor(sha('aa'))).toEqual([statuses[0]]);
  expect(statusesFor(sha('dd'))).toEqual([]);
  expect(reads).toBe(1);
});
