import { describe, expect, it } from '@jest/globals';
import { apiVersionOf, GitRepository, ProposedCommit, type KubeObject, type Kind } from '@interlock/api';
import { Problem } from '@interlock/base';
import { recordLog } from '@interlock/base/testing';
import type { Git } from '@interlock/git';
import { Later, type Manager } from '@interlock/kube';
import { MemoryCache } from '@interlock/kube/testing';
import type { RepositoryResolver } from '@interlock/scm';
import { createCaches } from '../indexes.js';
import { Repositories } from '../repository/repositories.js';
import { Evaluations } from './evaluations.js';
import { readProposedCommit } from './observe.js';

const gitRepository: GitRepository = {
  apiVersion: apiVersionOf(GitRepository),
  kind: GitRepository.kind,
  metadata: { name: 'repo', namespace: 'team' },
  spec: { scmProviderRef: { kind: 'ScmProvider', name: 'forge' }, github: { owner: 'acme', name: 'web' } },
};

const proposedCommit = (observedGeneration?: number): ProposedCommit => ({
  apiVersion: apiVersionOf(ProposedCommit),
  kind: ProposedCommit.kind,
  metadata: { name: 'app-dev', namespace: 'team', generation: 3 },
  spec: {
    repoRef: { name: 'repo' },
    proposedBranch: 'dev-next',
    activeBranch: 'dev',
    autoMerge: true,
    driftPolicy: 'Overwrite',
  },
  ...(observedGeneration !== undefined && { status: { observedGeneration } }),
});

/** Reads a ProposedCommit in a process that has not read any repository yet. */
function read(object: ProposedCommit, ...gitRepositories: GitRepository[]) {
  const cache = <T extends KubeObject>(kind: Kind<T>) => new MemoryCache(kind);
  const caches = {
    ...createCaches({ cache } as unknown as Manager),
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
  return readProposedCommit({ caches, repositories, evaluations: new Evaluations() }, object, context);
}

describe('a ProposedCommit whose repository is not known', () => {
  it('is reconciling when there is no such GitRepository', async () => {
    const found = await read(proposedCommit(3));
    expect(found).toBeInstanceOf(Problem);
    expect(found).toMatchObject({ reason: 'GitRepositoryNotFound', transient: true });
  });

  it('keeps a status of its generation until the repository was read', async () => {
    expect(await read(proposedCommit(3), gitRepository)).toBeInstanceOf(Later);
  });

  it.each([[undefined], [2]])(
    'reports that the repository was not read after generation %s',
    async (known) => {
      const found = await read(proposedCommit(known), gitRepository);
      expect(found).toMatchObject({ reason: 'RepositoryNotRead', transient: true });
    },
  );
});
