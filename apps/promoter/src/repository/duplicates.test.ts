import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ClusterScmProvider, ScmProvider, typeMeta, type GitRepository } from '@interlock/api';
import { builtInPlugins, createScmRegistry, type ScmRegistry } from '@interlock/scm';
import { gitRepository } from '../testing/objects.js';
import { duplicatesOf, type RemoteNames } from './duplicates.js';

const namespace = 'team';

function repository(
  name: string,
  provider: string,
  repo: string,
  kind: 'ScmProvider' | 'ClusterScmProvider' = 'ScmProvider',
): GitRepository {
  return gitRepository({
    metadata: { name },
    spec: { scmProviderRef: { kind, name: provider }, github: { owner: 'acme', name: repo } },
  });
}

const account = (name: string, domain?: string): ScmProvider => ({
  ...typeMeta(ScmProvider),
  metadata: { name, namespace },
  spec: { secretRef: { name }, github: { ...(domain !== undefined && { domain }) } },
});

const names: RemoteNames = {
  gitRepositories: [
    repository('one', 'github', 'web'),
    repository('other-case', 'github', 'Web'),
    repository('other-name', 'github', 'api'),
    repository('other-account', 'robot', 'web'),
    repository('account-of-the-cluster', 'shared', 'web', 'ClusterScmProvider'),
    repository('other-server', 'enterprise', 'web'),
    repository('account-that-is-not-there', 'gone', 'web'),
    repository('account-that-is-not-there-either', 'gone', 'web'),
    repository('account-of-the-cluster-that-is-not-there', 'github', 'web', 'ClusterScmProvider'),
    repository('account-of-another-scm', 'gitlab', 'web'),
  ],
  scmProviders: [
    account('github'),
    account('robot', 'https://GitHub.com'),
    account('enterprise', 'git.example.com'),
    { ...account('gitlab'), spec: { secretRef: { name: 'gitlab' }, gitlab: {} } },
  ],
  clusterScmProviders: [
    {
      ...typeMeta(ClusterScmProvider),
      metadata: { name: 'shared' },
      spec: { secretRef: { name: 'shared', namespace: 'central' }, github: { domain: 'github.com' } },
    },
  ],
};

let registry: ScmRegistry;
beforeAll(() => {
  registry = createScmRegistry({ plugins: builtInPlugins() });
});
afterAll(() => registry.close());

describe('the duplicates of a GitRepository', () => {
  const same = ['one', 'other-case', 'other-account', 'account-of-the-cluster'];

  it.each([
    ...same.map((name) => [name, same] as const),
    ...names.gitRepositories
      .map(({ metadata }) => metadata.name)
      .filter((name) => !same.includes(name))
      .map((name) => [name, [name]] as const),
    ['gone', ['gone']] as const,
  ])('named %s are %j, whatever their accounts', (name, expected) => {
    const found = duplicatesOf({ namespace, name }, names, registry);
    expect(found).toEqual(expected.map((one) => ({ namespace, name: one })));
  });
});
