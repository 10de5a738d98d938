import { describe, expect, it } from '@jest/globals';
import {
  CommitStatus,
  GitRepository,
  PullRequest,
  RevertCommit,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import { Problem } from '@interlock/base';
import { recordLog } from '@interlock/base/testing';
import type { Git } from '@interlock/git';
import { controllerReference } from '@interlock/kube';
import { MemoryCache } from '@interlock/kube/testing';
import type { RepositoryResolver } from '@interlock/scm';
import { createCaches } from '../caches.js';
import { commitStatus, sha } from '../promotion/testing/builders.js';
import { Repositories } from '../repository/repositories.js';
import { gitRepository, promotionStrategy, proposedCommit, pullRequest } from '../testing/objects.js';
import { StatusReads } from '../promotion/status-reads.js';
import { readRevert } from './observe.js';
import type { ObservedRevert } from './observed.js';
import { revertCommit } from './testing/builders.js';

describe('a RevertCommit one of whose children would have the name of a child of another object', () => {
  const of = (owner: KubeObject, name: string) => ({
    metadata: { name, namespace: 'team', ownerReferences: [controllerReference(owner)] },
  });
  const proposed = proposedCommit({ metadata: { name: 'back-revert', namespace: 'team', uid: 'u2' } });
  const taken = pullRequest(of(proposed, 'back-revert'));
  const strategy = promotionStrategy({ metadata: { name: 'back', namespace: 'team', uid: 'u3' } });
  const name = 'back-revert-promotion';
  const status = { ...commitStatus(name, 'promotion', sha('aa'), 'success'), ...of(strategy, name) };
  const own = { ...status, ...of(revertCommit(), name) };

  it.each<[string, PullRequest[], CommitStatus[], string | undefined]>([
    ['the PullRequest of a ProposedCommit', [taken], [], 'PullRequest would be back-revert, '],
    ['the CommitStatus of a strategy', [], [status], `CommitStatus would be ${name}, `],
    ['only its own', [], [own], undefined],
  ])('takes none from it: %s', async (_, pullRequests, commitStatuses, message) => {
    const cache = <T extends KubeObject>(kind: Kind<T>) => new MemoryCache(kind);
    const caches = {
      ...createCaches({ cache }),
      pullRequests: new MemoryCache(PullRequest, ...pullRequests),
      commitStatuses: new MemoryCache(CommitStatus, ...commitStatuses),
    };
    caches.commitStatuses.addIndex('commit', () => []);
    const context = { isFresh: false, signal: new AbortController().signal, log: recordLog(), now: 0 };
    const repositories = { view: () => new Problem('Network', 'no answer') } as unknown as Repositories;
    const sources = { caches, repositories, manager: { isStale: () => false }, reads: new StatusReads() };
    const observed = (await readRevert(sources, revertCommit(), context)) as ObservedRevert;
    expect(observed.pullRequest).toBeUndefined();
    expect(observed.taken?.reason).toBe(message && 'ChildNameInUse');
    expect(observed.taken?.message ?? '').toContain(message ?? '');
  });
});

it('is stalled by a branch name that the API server accepts and git does not allow', async () => {
  const cache = <T extends KubeObject>(kind: Kind<T>) => new MemoryCache(kind);
  const gitRepositories = new MemoryCache(GitRepository, gitRepository({ metadata: { name: 'repo' } }));
  const caches = { ...createCaches({ cache }), gitRepositories };
  const repositories = new Repositories(
    {} as RepositoryResolver,
    {} as Git,
    gitRepositories,
    () => [],
    () => undefined,
  );
  const context = { isFresh: false, signal: new AbortController().signal, log: recordLog(), now: 0 };
  const wrong = revertCommit({ activeBranch: 'qa/-1' });
  expect(RevertCommit.spec.safeParse(wrong.spec).error).toBeUndefined();
  const sources = { caches, repositories, manager: { isStale: () => false }, reads: new StatusReads() };
  expect(await readRevert(sources, wrong, context)).toMatchObject({
    reason: 'InvalidBranchName',
    message: expect.stringContaining('spec.activeBranch: '),
    transient: false,
  });
});
