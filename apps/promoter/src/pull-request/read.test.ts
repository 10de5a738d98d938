import { describe, expect, it } from '@jest/globals';
import type { PullRequest } from '@interlock/api';
import { needsRead, requiredRead, type RequiredRead } from './read.js';
import { head, now, open, pullRequest, url, type PullRequestState } from './testing/builders.js';

const openWith = (state: PullRequestState = {}): PullRequest => pullRequest({ status: open, ...state });
const closed = { ...open, state: 'closed' } as const;
const withdrawn = { ...closed, headSHA: undefined };
const merge = { sha: head, method: 'merge' } as const;

describe('needsRead', () => {
  it.each<[string, PullRequest, boolean, number, boolean]>([
    ['nothing is known yet', pullRequest(), false, now, false],
    ['it is open and was just read', openWith(), false, now, false],
    ['a read is requested', openWith(), true, now, true],
    ['it was not read for a while', openWith(), false, now + 5 * 60_000, true],
    ['its title changed', openWith({ spec: { title: 'new' } }), false, now, true],
    ['it is closed and a read is requested', openWith({ status: closed }), true, now, true],
    ['it is closed and no read is requested', openWith({ status: closed }), false, now, false],
    ['a user may have reopened it', openWith({ status: closed }), false, now + 30 * 60_000, true],
    ['the promoter closed it', openWith({ status: withdrawn }), false, now + 30 * 60_000, false],
    [
      'it is to stay closed',
      openWith({ status: closed, spec: { state: 'closed' } }),
      false,
      now + 30 * 60_000,
      false,
    ],
    ['it is merged', openWith({ status: { ...open, state: 'merged' } }), true, now, false],
    ['it is to be closed', openWith({ spec: { state: 'closed' } }), false, now, true],
    ['it is to be merged: the merge itself reports', openWith({ spec: { merge } }), false, now, false],
  ])('returns whether to read a pull request when %s', (_case, object, asked, at, expected) => {
    expect(needsRead(object, 'github', asked, at)).toBe(expected);
  });
});

describe('requiredRead', () => {
  const elsewhere = { url: 'https://other/team/app' };
  const renamed = { url: 'https://forge/team/old', id: '12' };
  it.each<[string, PullRequest, boolean, RequiredRead]>([
    ['nothing, if the pull request was just read', openWith(), false, 'unread'],
    ['the pull request, when a read is requested', openWith(), true, { id: 7, match: 'same' }],
    [
      'nothing, if the pull request is in another repository',
      openWith({ status: { ...open, repository: elsewhere } }),
      true,
      'foreign',
    ],
    [
      'the pull request, if its repository may have another name',
      openWith({ status: { ...open, repository: renamed } }),
      false,
      { id: 7, match: 'unknown' },
    ],
    [
      'nothing, while a finalizer is left over',
      openWith({ guarded: true, status: { ...closed, repository: renamed } }),
      true,
      'unread',
    ],
  ])('is %s', (_case, object, asked, expected) => {
    expect(requiredRead(object, { plugin: 'github', url }, asked, now)).toEqual(expected);
  });
});
