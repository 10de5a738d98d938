import { expect, it } from '@jest/globals';
import { CommitStatus, keyOf, ProposedCommit, PullRequest, type KubeObject } from '@interlock/api';
import { controllerReference } from '@interlock/kube';
import { MemoryCache } from '@interlock/kube/testing';
import { childrenOfStrategy, commitStatusesAt, createCaches, pullRequestsOf } from './caches.js';
import { commitStatus, sha } from './promotion/testing/builders.js';
import { gitRepository, promotionStrategy, proposedCommit, pullRequest } from './testing/objects.js';

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

function cachesWith(store: MemoryCache<never>) {
  return createCaches({
    cache: (kind) => (kind.kind === store.kind.kind ? store : new MemoryCache<KubeObject>(kind)) as never,
  });
}

it('finds the children of a strategy by its uid, in its namespace only', () => {
  const strategy = promotionStrategy();
  const ownerReferences = [controllerReference(strategy)];
  const child = proposedCommit({ metadata: { ownerReferences } });
  const others = [
    proposedCommit({ metadata: { name: 'not-controlled' } }),
    proposedCommit({ metadata: { namespace: 'another-tenant', ownerReferences } }),
  ];
  const caches = cachesWith(new MemoryCache(ProposedCommit, child, ...others) as never);
  expect(childrenOfStrategy(caches, strategy)).toEqual([child]);
});

it('finds the PullRequests that name a repository, and those that do not name one', () => {
  const named = (name: string, repo: string | undefined, namespace = 'team') =>
    pullRequest({ metadata: { name, namespace }, spec: { ...(repo && { repoRef: { name: repo } }) } });
  const all = [named('a', 'web'), named('b', 'api'), named('c', undefined), named('d', 'web', 'other')];
  const caches = cachesWith(new MemoryCache(PullRequest, ...all) as never);
  expect(pullRequestsOf(caches, keyOf(gitRepository()))).toEqual([all[0], all[2]]);
});
