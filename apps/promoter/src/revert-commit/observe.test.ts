import { expect, it } from '@jest/globals';
import { GitRepository, PullRequest, RevertCommit, type Kind, type KubeObject } from '@interlock/api';
import { recordLog } from '@interlock/base/testing';
import type { Git } from '@interlock/git';
import { controllerReference } from '@interlock/kube';
import { MemoryCache } from '@interlock/kube/testing';
import type { RepositoryResolver } from '@interlock/scm';
import { createCaches } from '../caches.js';
import { Repositories } from '../repository/repositories.js';
import { gitRepository, proposedCommit, pullRequest } from '../testing/objects.js';
import { readRevert } from './observe.js';
import { revertCommit } from './testing/builders.js';

it('does not take the pull request of a ProposedCommit with the name that its own would have', async () => {
  const cache = <T extends KubeObject>(kind: Kind<T>) => new MemoryCache(kind);
  const proposed = proposedCommit({ metadata: { name: 'back-revert', namespace: 'team' } });
  const metadata = {
    name: 'back-revert',
    namespace: 'team',
    ownerReferences: [controllerReference(proposed)],
  };
  const pullRequests = new MemoryCache(PullRequest, pullRequest({ metadata }));
  const caches = { ...createCaches({ cache }), pullRequests };
  const context = { isFresh: false, signal: new AbortController().signal, log: recordLog(), now: 0 };
  const sources = { caches, repositories: {} as Repositories, manager: { isStale: () => false } };
  expect(await readRevert(sources, revertCommit(), context)).toMatchObject({ reason: 'ChildNameInUse' });
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
  const sources = { caches, repositories, manager: { isStale: () => false } };
  expect(await readRevert(sources, wrong, context)).toMatchObject({
    reason: 'InvalidBranchName',
    message: expect.stringContaining('spec.activeBranch: '),
    transient: false,
  });
});
