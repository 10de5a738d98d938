import { describe, expect, it } from '@jest/globals';
import { GitRepository, ScmProvider, typeMeta } from '@interlock/api';
import { branchOf, repositoryOf, repositoryOfUrl } from './repository.js';

describe('repositoryOfUrl', () => {
  it('reads a long run of slashes in one pass', () => {
    const slashes = '/'.repeat(500_000);
    expect(repositoryOfUrl(`git@host:a${slashes}b`)).toBe(`host/a${slashes}b`);
    expect(repositoryOfUrl(`https://host/a${slashes}`)).toBe('host/a');
  });

  it.each([
    'https://github.com/acme/deployments',
    'https://github.com/acme/deployments.git',
    'https://GitHub.com/Acme/Deployments/',
    'https://user:secret@github.com/acme/deployments.git',
    'git@github.com:acme/deployments.git',
    'github.com:acme/deployments',
    'ssh://git@github.com:22/acme/deployments.git',
  ])('recognizes %s as the same repository', (url) => {
    expect(repositoryOfUrl(url)).toBe('github.com/acme/deployments');
  });

  it.each([
    ['https://github.com/acme/other', 'github.com/acme/other'],
    ['https://git.example.com/acme/deployments', 'git.example.com/acme/deployments'],
    ['https://gitlab.com/group/sub/project.git', 'gitlab.com/group/sub/project'],
    ['http://127.0.0.1:8080/acme/deployments.git', '127.0.0.1/acme/deployments'],
    ['not a url', undefined],
    ['', undefined],
  ])('reads from the URL %j the repository %s', (url, expected) => {
    expect(repositoryOfUrl(url)).toBe(expected);
  });
});

describe('repositoryOf', () => {
  const gitRepository: GitRepository = {
    ...typeMeta(GitRepository),
    metadata: { name: 'deployments' },
    spec: {
      scmProviderRef: { kind: 'ScmProvider', name: 'p' },
      github: { owner: 'Acme', name: 'deployments' },
    },
  };
  const provider = (domain?: string): ScmProvider => ({
    ...typeMeta(ScmProvider),
    metadata: { name: 'p' },
    spec: { secretRef: { name: 's' }, github: { ...(domain !== undefined && { domain }) } },
  });

  it.each([
    [undefined, 'github.com/acme/deployments'],
    ['git.example.com', 'git.example.com/acme/deployments'],
    ['http://127.0.0.1:8080', '127.0.0.1/acme/deployments'],
  ])('returns the repository at the domain %s', (domain, expected) => {
    expect(repositoryOf(gitRepository, provider(domain))).toBe(expected);
  });
});

describe('branchOf', () => {
  it.each([
    ['dev', 'dev'],
    ['refs/heads/env/dev', 'env/dev'],
    ['refs/tags/v1', 'refs/tags/v1'],
  ])('reads from the revision %s the branch %s', (revision, expected) => {
    expect(branchOf(revision)).toBe(expected);
  });
});
