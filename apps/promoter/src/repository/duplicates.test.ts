import { describe, expect, it } from '@jest/globals';
import { apiVersionOf, GitRepository } from '@interlock/api';
import { duplicatesOf } from './duplicates.js';

function repository(name: string, provider: string, repo: string): GitRepository {
  return {
    apiVersion: apiVersionOf(GitRepository),
    kind: GitRepository.kind,
    metadata: { name, namespace: 'team' },
    spec: { scmProviderRef: { kind: 'ScmProvider', name: provider }, github: { owner: 'acme', name: repo } },
  };
}

describe('duplicates of a GitRepository', () => {
  const all = [
    repository('one', 'github', 'web'),
    repository('two', 'github', 'Web'),
    repository('three', 'github', 'api'),
    repository('four', 'other', 'web'),
  ];

  it('name the same repository at the same provider, whatever the case', () => {
    const names = duplicatesOf({ namespace: 'team', name: 'one' }, all).map(({ name }) => name);
    expect(names).toEqual(['one', 'two']);
  });

  it('of one that does not exist are only itself', () => {
    expect(duplicatesOf({ namespace: 'team', name: 'gone' }, all)).toEqual([
      { namespace: 'team', name: 'gone' },
    ]);
  });
});
