import { describe, expect, it } from '@jest/globals';
import { checkPath, checkSize, type Guards } from './guards.js';

describe('checkPath', () => {
  it.each([
    'a/b.yaml',
    '.github/dependabot.yml',
    'apps/CODEOWNERS.md',
    'apps/.gitlab-ci.yml',
    '.gitlab/issue_templates/bug.md',
    'github~1.yaml/a',
  ])('allows %j', (path) => {
    expect(() => checkPath(path, {})).not.toThrow();
  });

  it.each<[string, Guards]>([
    ['clusters/prod/rbac/a.yaml', { allow: ['clusters/**'] }],
    ['clusters/.hidden/a.yaml', { allow: ['clusters/**'] }],
    ['a.yaml', { allow: ['*.{yaml,yml}'] }],
    ['a/b.yaml', { deny: ['*.yaml'] }],
  ])('allows %j with the guards %j', (path, guards) => {
    expect(() => checkPath(path, guards)).not.toThrow();
  });

  it.each([
    '.github/workflows/ci.yaml',
    '.github/workflows',
    '.github/actions/build/action.yml',
    '.gitea/workflows/ci.yaml',
    '.forgejo/workflows/ci.yaml',
    '.Forgejo/Actions/a/action.yml',
    '.gitlab-ci.yml',
    '.gitlab/ci/build.yml',
    '.gitlab/agents/prod/config.yaml',
    'CODEOWNERS',
    'docs/CODEOWNERS',
    '.github/codeowners',
    '.gitlab/CODEOWNERS',
    '.gitea/CODEOWNERS',
    '.forgejo/CODEOWNERS',
    '.gitmodules',
    '.circleci/config.yml',
    '.woodpecker',
    '.woodpecker.yaml',
    '.drone.yml',
    '.Travis.yml',
    '.appveyor.yml',
    'azure-pipelines.yml',
    'bitbucket-pipelines.yml',
    'jenkinsfile',
    '.git\u200Bhub/workflows/ci.yaml',
    '.github./workflows /ci.yaml',
    '.github/wor\u212Aflows/ci.yaml',
    'GITHUB~1/WORKFL~1/ci.yaml',
    'GITLAB~1.YML',
    'CODEOW~2',
  ])('refuses %j', (path) => {
    expect(() => checkPath(path, {})).toThrow(expect.objectContaining({ reason: 'PathNotAllowed' }));
  });

  it.each<[string, Guards]>([
    ['.github/workflows/a/b', { allow: ['**'] }],
    ['.GitHub/Workflows/ci.yaml', { allow: ['**'] }],
    ['.GitLab-CI.yml', { allow: ['**'] }],
    ['.tekton/push.yaml', { allow: ['**'] }],
    ['se\u00ADcrets/a.yaml', { deny: ['secrets/**'] }],
    ['apps/a.yaml', { allow: ['clusters/**'] }],
    ['apps/a.yaml', { allow: [] }],
    ['clusters/A.yaml', { allow: ['clusters/a.yaml'] }],
    ['secrets/a.yaml', { allow: ['**'], deny: ['SECRETS/**'] }],
    ['!a', { deny: ['!a'] }],
    ['#a', { deny: ['#a'] }],
  ])('refuses %j with the guards %j', (path, guards) => {
    expect(() => checkPath(path, guards)).toThrow(expect.objectContaining({ reason: 'PathNotAllowed' }));
  });
});

describe('checkSize', () => {
  it('counts files and bytes', () => {
    const files = [{ content: 'ü' }, { content: undefined }];
    expect(() => checkSize(files, { maxFiles: 2, maxBytes: 2 })).not.toThrow();
    expect(() => checkSize(files, { maxFiles: 1 })).toThrow('limits.maxFiles is 1');
    expect(() => checkSize(files, { maxBytes: 1 })).toThrow('limits.maxBytes is 1');
    expect(() => checkSize([{ content: 'x'.repeat(1_000_001) }], {})).toThrow('limits.maxBytes is 1000000');
  });
});
