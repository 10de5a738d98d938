import { describe, expect, it } from '@jest/globals';
import { GitRepository, type Kind, type KubeObject, type ProposedCommit } from '@interlock/api';
import { Problem } from '@interlock/base';
import { recordLog } from '@interlock/base/testing';
import type { Git } from '@interlock/git';
import { Later } from '@interlock/kube';
import { MemoryCache } from '@interlock/kube/testing';
import type { RepositoryResolver } from '@interlock/scm';
import { createCaches } from '../caches.js';
import { Repositories } from '../repository/repositories.js';
import { gitRepository, proposedCommit } from '../testing/objects.js';
import { StatusReads } from '../promotion/status-reads.js';
import { Evaluations } from './evaluations.js';
import { readProposedCommit } from './observe.js';

const repository = gitRepository({ metadata: { name: 'repo' } });
const reportedAt = (observedGeneration?: number): ProposedCommit =>
  proposedCommit(observedGeneration === undefined ? {} : { status: { observedGeneration } });

/** Reads a ProposedCommit in a process that has not read any repository yet. */
function read(object: ProposedCommit, ...gitRepositories: GitRepository[]) {
  const cache = <T extends KubeObject>(kind: Kind<T>) => new MemoryCache(kind);
  const caches = {
    ...createCaches({ cache }),
    gitRepositories: new MemoryCache(GitRepository, ...gitRepositories),
  };
  const repositories = new Repositories(
    {} as RepositoryResolver,
    {} as Git,
    caches.gitRepositories,
    () => [],
    () => undefined,
  );
  const context = { isFresh: false, signal: new AbortController().signal, log: recordLog(), now: 0 };
  return readProposedCommit(
    { caches, repositories, evaluations: new Evaluations(), reads: new StatusReads() },
    object,
    context,
  );
}

describe('a ProposedCommit whose repository is not known', () => {
  it('is reconciling when the GitRepository does not exist', async () => {
    const found = await read(reportedAt(3));
    expect(found).toBeInstanceOf(Problem);
    expect(found).toMatchObject({ reason: 'GitRepositoryNotFound', transient: true });
  });

  it('keeps its status, if that is of the current generation, until the repository was read', async () => {
    expect(await read(reportedAt(3), repository)).toBeInstanceOf(Later);
  });

  it.each([[undefined], [2]])(
    'reports that the repository was not read if its status is of generation %s',
    async (known) => {
      const found = await read(reportedAt(known), repository);
      expect(found).toMatchObject({ reason: 'RepositoryNotRead', transient: true });
    },
  );

  it('is stalled by a branch name that git does not allow', async () => {
    const found = await read(proposedCommit({ spec: { activeBranch: 'qa/-1' } }), repository);
    expect(found).toMatchObject({ reason: 'InvalidBranchName', transient: false });
  });
});
