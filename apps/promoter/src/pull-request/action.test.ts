import { describe, expect, it } from '@jest/globals';
import { finalizers, type PullRequest, type PullRequestStatus } from '@interlock/api';
import { actionFor } from './action.js';
import type { ScmView } from './observed.js';
import { head, info, open, otherHead, pullRequest as build } from './testing/builders.js';
import { deferredDigest } from './text.js';

function pullRequest(
  spec: Partial<PullRequest['spec']> = {},
  status?: PullRequestStatus,
  deleted: boolean | 'by others' = false,
): PullRequest {
  return build({ spec, status, deleted: deleted !== false, guarded: deleted === true });
}

/** Returns the object with the finalizer, which is stored before a pull request is opened. */
function guarded(object: PullRequest): PullRequest {
  return { ...object, metadata: { ...object.metadata, finalizers: [finalizers.pullRequest] } };
}

const merge: PullRequest['spec']['merge'] = { sha: head, method: 'merge' };

describe('actionFor', () => {
  it.each<[string, PullRequest, ScmView, object]>([
    ['was never opened', pullRequest(), 'unread', { type: 'ensure' }],
    ['does not exist at the SCM', pullRequest({}, open), 'absent', { type: 'ensure' }],
    ['is open and up to date', pullRequest({}, open), 'unread', { type: 'none' }],
    ['has another title', pullRequest({ title: 'new' }, open), info(), { type: 'ensure', known: 7 }],
    ['is to be merged', pullRequest({ merge }, open), 'unread', { type: 'merge', id: 7, sha: head }],
    [
      'is to be merged but has another head',
      pullRequest({ merge }, open),
      info({ headSha: otherHead }),
      { type: 'none' },
    ],
    [
      'is to be merged while its text is deferred',
      pullRequest({ merge }, { ...open, specDigest: deferredDigest(pullRequest().spec) }),
      'unread',
      { type: 'merge', id: 7, sha: head },
    ],
    [
      'has a text that was deferred at the last read',
      pullRequest({}, { ...open, specDigest: deferredDigest(pullRequest().spec) }),
      info(),
      { type: 'ensure', known: 7 },
    ],
    [
      'has another text than the deferred one',
      pullRequest({ title: 'new' }, { ...open, specDigest: deferredDigest(pullRequest().spec) }),
      'unread',
      { type: 'ensure', known: 7 },
    ],
    ['was closed by a user', pullRequest({}, open), info({ state: 'closed' }), { type: 'none' }],
    ['was merged by a user', pullRequest({}, open), info({ state: 'merged' }), { type: 'none' }],
    ['was rejected before', pullRequest({}, { ...open, state: 'closed' }), 'unread', { type: 'none' }],
    [
      'was rejected, and then opened again',
      pullRequest({ merge }, { ...open, state: 'closed' }),
      info(),
      { type: 'merge', id: 7, sha: head },
    ],
    [
      'was rejected, and another commit came',
      pullRequest({ headSHA: otherHead }, { ...open, state: 'closed' }),
      'unread',
      { type: 'ensure' },
    ],
    [
      'was merged, and another commit came',
      pullRequest({ headSHA: otherHead }, { ...open, state: 'merged' }),
      'unread',
      { type: 'ensure' },
    ],
    [
      'was closed at an older commit',
      pullRequest({ headSHA: otherHead }, open),
      info({ state: 'closed' }),
      { type: 'ensure' },
    ],
    ['is no longer required', pullRequest({ state: 'closed' }, open), info(), { type: 'close', id: 7 }],
    [
      'is no longer required and was merged',
      pullRequest({ state: 'closed' }, open),
      info({ state: 'merged' }),
      { type: 'none' },
    ],
    ['is deleted while open', pullRequest({}, open, true), info(), { type: 'close', id: 7 }],
    [
      'is deleted after it was closed',
      pullRequest({}, open, true),
      info({ state: 'closed' }),
      { type: 'release' },
    ],
    [
      'is deleted after it was merged',
      pullRequest({}, { ...open, state: 'merged' }, true),
      'unread',
      { type: 'release' },
    ],
    [
      'is deleted and was withdrawn, and may have been opened since',
      pullRequest({ state: 'closed', headSHA: otherHead }, { ...open, state: 'merged' }, true),
      'unread',
      { type: 'withdraw' },
    ],
    [
      'is no longer required and may have been opened',
      guarded(pullRequest({ state: 'closed' })),
      'unread',
      { type: 'withdraw' },
    ],
    [
      'is no longer required and may have been opened for another commit',
      guarded(pullRequest({ state: 'closed', headSHA: otherHead }, { ...open, state: 'merged' })),
      'unread',
      { type: 'withdraw' },
    ],
    [
      'is no longer required and was never opened',
      pullRequest({ state: 'closed' }),
      'unread',
      { type: 'none' },
    ],
    [
      'is deleted, was never opened, and is kept by another controller',
      pullRequest({}, undefined, 'by others'),
      'unread',
      { type: 'release' },
    ],
    ['is deleted and may have been opened', pullRequest({}, undefined, true), 'unread', { type: 'withdraw' }],
    [
      'is deleted and may have been opened for another commit',
      pullRequest({ headSHA: otherHead }, { ...open, state: 'merged' }, true),
      'unread',
      { type: 'withdraw' },
    ],
    ['belongs to another repository', pullRequest({}, open), 'foreign', { type: 'forget' }],
    [
      'is no longer required and belongs to another repository',
      guarded(pullRequest({ state: 'closed' }, open)),
      'foreign',
      { type: 'forget' },
    ],
    [
      'is deleted and belongs to another repository',
      pullRequest({}, open, true),
      'foreign',
      { type: 'release' },
    ],
  ])('returns the action for a pull request that %s', (_case, object, view, action) => {
    expect(actionFor(object, 'github', view)).toEqual(action);
  });

  it('does not merge before everything was sent', () => {
    expect(actionFor(pullRequest({ merge, title: 'new' }, open), 'github', 'unread')).toEqual({
      type: 'ensure',
      known: 7,
    });
  });
});
