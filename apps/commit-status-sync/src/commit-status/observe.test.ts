import { describe, expect, it } from '@jest/globals';
import {
  ClusterScmProvider,
  CommitStatus,
  GitRepository,
  ScmProvider,
  typeMeta,
  type Kind,
  type KubeObject,
} from '@interlock/api';
import type { Manager } from '@interlock/kube';
import { buildObject, MemoryCache } from '@interlock/kube/testing';
import { commitStatus, sha } from '../sources/testing/builders.js';
import { CommitStatusCaches } from './observe.js';

/** Returns the caches of a cluster in which each of two teams has a repository with a CommitStatus. */
function cachesWith(provider: GitRepository['spec']['scmProviderRef']): CommitStatusCaches {
  const teams = ['team-a', 'team-b'];
  const statuses = teams.map((namespace) =>
    commitStatus(`lint-${namespace}`, 'lint', sha('a'), 'success', { namespace }),
  );
  const repositories = teams.map((namespace) =>
    buildObject(GitRepository, {
      metadata: { name: 'deployments', namespace },
      spec: { scmProviderRef: provider, github: { owner: namespace, name: 'deployments' } },
    }),
  );
  const caches = new Map<Kind, unknown>([
    [CommitStatus, new MemoryCache(CommitStatus, ...statuses)],
    [GitRepository, new MemoryCache(GitRepository, ...repositories)],
    [ScmProvider, new MemoryCache(ScmProvider)],
    [ClusterScmProvider, new MemoryCache(ClusterScmProvider)],
  ]);
  return new CommitStatusCaches({ cache: (kind: Kind) => caches.get(kind) } as Pick<Manager, 'cache'>);
}

const providerOf = (kind: Kind, namespace?: string): KubeObject => ({
  ...typeMeta(kind),
  metadata: { name: 'github', ...(namespace !== undefined && { namespace }) },
});

it.each([
  ['ScmProvider', 'team'],
  ['ClusterScmProvider', undefined],
] as const)('observes the %s that the repository names', (kind, namespace) => {
  const metadata = { name: 'github' };
  const spec = { secretRef: { name: 'app', namespace: 'system' }, github: { appID: 1 } };
  const caches = new Map<Kind, unknown>([
    [CommitStatus, new MemoryCache(CommitStatus)],
    [
      GitRepository,
      new MemoryCache(GitRepository, {
        ...typeMeta(GitRepository),
        metadata: { name: 'deployments', namespace: 'team' },
        spec: { scmProviderRef: { kind, name: 'github' }, github: { owner: 'acme', name: 'deployments' } },
      }),
    ],
    [
      ScmProvider,
      new MemoryCache(ScmProvider, {
        ...typeMeta(ScmProvider),
        metadata: { ...metadata, namespace: 'team' },
        spec,
      }),
    ],
    [
      ClusterScmProvider,
      new MemoryCache(ClusterScmProvider, { ...typeMeta(ClusterScmProvider), metadata, spec }),
    ],
  ]);
  const of = new CommitStatusCaches({ cache: (one: Kind) => caches.get(one) } as Pick<Manager, 'cache'>);
  const { provider } = of.observe(commitStatus('lint', 'lint', sha('a'), 'success'), 0);
  expect(provider).toMatchObject({ kind, metadata: { name: 'github', ...(namespace && { namespace }) } });
});

describe('a change of a provider', () => {
  it.each([
    [
      'an ScmProvider wakes the CommitStatuses of its namespace only',
      ScmProvider,
      providerOf(ScmProvider, 'team-a'),
      ['lint-team-a'],
    ],
    [
      'a ClusterScmProvider wakes those of all namespaces',
      ClusterScmProvider,
      providerOf(ClusterScmProvider),
      ['lint-team-a', 'lint-team-b'],
    ],
    [
      'an ScmProvider wakes none that use the ClusterScmProvider of the same name',
      ClusterScmProvider,
      providerOf(ScmProvider, 'team-a'),
      [],
    ],
  ])('%s', (_title, { kind }, provider, woken) => {
    const caches = cachesWith({ kind: kind as 'ScmProvider' | 'ClusterScmProvider', name: 'github' });
    expect(caches.ofProvider(provider).map(({ name }) => name)).toEqual(woken);
  });
});

describe('a change of one of several CommitStatuses that share a name on a commit', () => {
  const named = (name: string) => commitStatus(name, 'lint', sha('a'), 'success', { namespace: 'team' });
  const [dev, prod, qa] = [named('dev'), named('prod'), named('qa')];
  const concernedBy = (changed: CommitStatus, ...present: CommitStatus[]) => {
    const statuses = new MemoryCache(CommitStatus, ...present);
    const cache = (kind: Kind) => (kind === CommitStatus ? statuses : new MemoryCache(kind));
    const caches = new CommitStatusCaches({ cache } as unknown as Pick<Manager, 'cache'>);
    return caches.concernedBy(changed).map(({ name }) => name);
  };

  it('concerns the first, which sends the combined status', () => {
    expect(concernedBy(qa, dev, prod, qa)).toEqual(['dev']);
    expect(concernedBy(qa, dev, prod)).toEqual(['dev']);
  });

  it('concerns all of them when it is the first', () => {
    expect(concernedBy(dev, dev, prod, qa)).toEqual(['dev', 'prod', 'qa']);
  });

  it('concerns the remaining ones when the first is deleted', () => {
    expect(concernedBy(dev, prod, qa)).toEqual(['prod', 'qa']);
  });
});
