import { describe, expect, it } from '@jest/globals';
import { RevertCommit, typeMeta, type PullRequest } from '@interlock/api';
import type { ScmView } from './observed.js';
import { comparedCommits, isRejected } from './rejected.js';
import { head, info, open, otherHead, pullRequest } from './testing/builders.js';

const closed = { ...open, state: 'closed' } as const;
const withdrawn = { state: 'closed', url: 'https://forge/7' } as const;
const moved = { headSHA: otherHead };
const ofRevert = (object: PullRequest): PullRequest => ({
  ...object,
  metadata: {
    ...object.metadata,
    ownerReferences: [
      {
        ...typeMeta(RevertCommit),
        name: 'undo',
        uid: '1',
        controller: true,
      },
    ],
  },
});

describe('isRejected', () => {
  it.each<[string, PullRequest, ScmView, boolean | 'compare']>([
    ['when a user closed it', pullRequest({ status: open }), info({ state: 'closed' }), true],
    ['when that is already known', pullRequest({ status: closed }), 'unread', true],
    ['at any commit of a revert', ofRevert(pullRequest({ spec: moved, status: closed })), 'unread', true],
    [
      'at another commit if that is built on the rejected commit',
      pullRequest({ spec: moved, status: closed }),
      'unread',
      'compare',
    ],
    ['not while it is open', pullRequest({ status: open }), info(), false],
    ['not when it was opened again', pullRequest({ status: closed }), info(), false],
    ['not when it was merged', pullRequest({ status: open }), info({ state: 'merged' }), false],
    ['not when the promoter closed it', pullRequest({ status: withdrawn }), 'unread', false],
    [
      'not when the promoter closed it and it is read again',
      pullRequest({ status: withdrawn }),
      info({ state: 'closed' }),
      false,
    ],
    [
      'not when it is not required',
      pullRequest({ spec: { state: 'closed' }, status: closed }),
      'unread',
      false,
    ],
    ['not when it is deleted', pullRequest({ deleted: true, status: closed }), 'unread', false],
    ['not when it is gone', pullRequest({ status: closed }), 'absent', false],
    ['not when it belongs to others', pullRequest({ status: closed }), 'foreign', false],
  ])('returns whether a pull request is rejected: %s', (_case, object, view, expected) => {
    const commits = expected === 'compare' ? { closed: head, proposed: otherHead } : undefined;
    expect(comparedCommits(object, view)).toEqual(commits);
    expect(isRejected(object, view, false)).toBe(expected === true);
    if (commits !== undefined) expect(isRejected(object, view, true)).toBe(true);
  });

  it('returns false when the proposal is not a commit', () => {
    const { headSHA: _head, ...spec } = pullRequest().spec;
    expect(isRejected({ ...pullRequest({ status: closed }), spec }, 'unread', true)).toBe(false);
  });
});
