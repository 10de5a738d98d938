import { describe, expect, it } from '@jest/globals';
import type { PullRequestStatus } from '@interlock/api';
import type { PullRequestInfo } from '@interlock/scm';
import * as builders from './testing/builders.js';
import { isOurs, repositoryMatchOf, type RepositoryMatch } from './repository-match.js';

const url = 'https://forge.example/acme/web';
const renamed = 'https://forge.example/acme/site';
const elsewhere = 'https://other.example/acme/web';
const known: PullRequestStatus = {
  state: 'open',
  plugin: { github: { id: 7 } },
  repository: { url, id: '12' },
};

describe('repositoryMatchOf', () => {
  it.each<[string, PullRequestStatus | undefined, string, RepositoryMatch]>([
    ['nothing is known yet', undefined, url, 'same'],
    ['it is the repository of the status', known, url, 'same'],
    ['it has another name, which may be a new one', known, renamed, 'unknown'],
    ['it is at another host', known, elsewhere, 'other'],
    ['it has another name and the SCM has no ids', { ...known, repository: { url } }, renamed, 'other'],
    ['it has another name and no number is known', { ...known, plugin: {} }, renamed, 'other'],
    [
      'the status of an open pull request names no repository',
      { state: 'open', plugin: { github: { id: 7 } } },
      url,
      'unknown',
    ],
    [
      'the status of a merged pull request names no repository',
      { state: 'merged', plugin: { github: { id: 7 } } },
      url,
      'same',
    ],
  ])('compares the repositories if %s', (_case, status, at, expected) => {
    expect(repositoryMatchOf(status, 'github', at)).toBe(expected);
  });
});

describe('isOurs', () => {
  const info = (more: Partial<PullRequestInfo> = {}): PullRequestInfo =>
    builders.info({ repositoryId: '12', ...more });

  it.each<[string, PullRequestStatus, PullRequestInfo, string, boolean]>([
    ['it is as it was opened', known, info(), url, true],
    ['its repository was renamed', known, info(), renamed, true],
    [
      'its repository was deleted and another was created with its name',
      known,
      info({ repositoryId: '13' }),
      url,
      false,
    ],
    ['it has another base', known, info({ base: 'main' }), url, false],
    ['it has another head', known, info({ head: 'feature' }), url, false],
    [
      'it has the head that it was opened from',
      { ...known, sourceBranch: 'revert' },
      info({ head: 'revert' }),
      url,
      true,
    ],
    ['the SCM has no ids', { ...known, repository: { url } }, info({ repositoryId: undefined }), url, true],
    [
      'the SCM has no ids and the name differs',
      { ...known, repository: { url } },
      info({ repositoryId: undefined }),
      renamed,
      false,
    ],
    ['no repository is known and the branches are ours', { state: 'open' }, info(), url, true],
    ['no repository is known and the base differs', { state: 'open' }, info({ base: 'main' }), url, false],
  ])('compares the repositories if %s', (_case, status, seen, at, expected) => {
    expect(isOurs(builders.pullRequest({ status }), seen, at)).toBe(expected);
  });
});
