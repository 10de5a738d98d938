import { describe, expect, it } from '@jest/globals';
import type { PullRequest, PullRequestStatus } from '@interlock/api';
import { Problem } from '@interlock/base';
import type { PullRequestAction } from './action.js';
import type { PullRequestDecision } from './decide.js';
import { hasEnded, needsFinalizer } from './finalizer.js';
import { isLeftOver } from './state.js';
import type { ScmView } from './observed.js';
import { pullRequestStatus, type Outcome } from './status.js';
import { head, info, now, observed, open, otherHead, pullRequest, url } from './testing/builders.js';

const none: PullRequestAction = { type: 'none' };
const ensure: PullRequestAction = { type: 'ensure' };

describe('needsFinalizer', () => {
  it.each<[string, PullRequest, PullRequestDecision, ScmView, boolean]>([
    ['before the pull request is opened', pullRequest(), ensure, 'unread', true],
    ['not if it is already stored', pullRequest({ guarded: true }), ensure, 'unread', false],
    ['if an open pull request has lost it', pullRequest({ status: open }), none, 'unread', true],
    [
      'if a user reopened a closed pull request',
      pullRequest({ status: { ...open, state: 'closed' } }),
      none,
      info(),
      true,
    ],
    [
      'not if the open pull request turns out to be merged',
      pullRequest({ status: open }),
      none,
      info({ state: 'merged' }),
      false,
    ],
    [
      'not for a merged pull request',
      pullRequest({ status: { ...open, state: 'merged' } }),
      none,
      'unread',
      false,
    ],
    ['not if no pull request is to be opened', pullRequest(), none, 'unread', false],
    [
      'not while the next attempt of a merge is awaited',
      pullRequest({ status: open }),
      { type: 'wait', ms: 1 },
      'unread',
      false,
    ],
    [
      'not on an object that is being deleted',
      pullRequest({ status: open, deleted: true }),
      { type: 'close', id: 7 },
      'unread',
      false,
    ],
  ])('returns whether to add the finalizer: %s', (_case, object, action, view, expected) => {
    expect(needsFinalizer(action, observed(object, view))).toBe(expected);
  });

  it('returns false if the repository is unknown', () => {
    const problem = new Problem('Unreachable', 'the forge is down');
    const object = pullRequest({ status: open });
    const unknown = { pullRequest: object, asked: false, repository: problem };
    expect(needsFinalizer({ type: 'report', problem }, unknown)).toBe(false);
  });
});

describe('isLeftOver', () => {
  const merged: PullRequestStatus = { ...open, state: 'merged' };
  const { headSHA: _head, ...byHand } = pullRequest({ guarded: true }).spec;
  it.each<[string, PullRequest, boolean]>([
    ['on a merged pull request', pullRequest({ guarded: true, status: merged }), true],
    [
      'on a pull request that a user closed',
      pullRequest({ guarded: true, status: { ...open, state: 'closed' } }),
      true,
    ],
    ['not on an open pull request', pullRequest({ guarded: true, status: open }), false],
    ['not on a pull request of which nothing is known', pullRequest({ guarded: true }), false],
    ['not if it is absent', pullRequest({ status: merged }), false],
    [
      'not if another commit may have been proposed',
      pullRequest({ guarded: true, spec: { headSHA: otherHead }, status: merged }),
      false,
    ],
    [
      'not even if the pull request is to be closed',
      pullRequest({ guarded: true, spec: { headSHA: otherHead, state: 'closed' }, status: merged }),
      false,
    ],
    [
      'on a manually created PullRequest that was merged',
      {
        ...pullRequest({ guarded: true, status: { ...merged, observedGeneration: 1 } }),
        spec: byHand,
      },
      true,
    ],
    [
      'not on a manually created PullRequest whose spec has changed since',
      {
        ...pullRequest({ guarded: true, status: { ...merged, observedGeneration: 0 } }),
        spec: byHand,
      },
      false,
    ],
  ])('returns whether a finalizer is left over: %s', (_case, object, expected) => {
    expect(isLeftOver(object)).toBe(expected);
  });
});

describe('hasEnded', () => {
  const merge: PullRequestAction = { type: 'merge', id: 7, sha: head };
  const close: PullRequestAction = { type: 'close', id: 7 };
  const opened = pullRequest({ guarded: true, status: open });
  const unwanted = pullRequest({ guarded: true, spec: { state: 'closed' }, status: open });
  it.each<[string, PullRequest, PullRequestAction, Outcome, boolean]>([
    ['when it was merged', opened, merge, { info: info({ state: 'merged' }) }, true],
    ['when a user merged it', opened, none, { info: info({ state: 'merged' }) }, true],
    ['when a user closed it', opened, none, { info: info({ state: 'closed' }) }, true],
    ['when it was withdrawn', unwanted, close, { info: info({ state: 'closed' }), withdrawn: true }, true],
    ['when nothing was found to withdraw', unwanted, { type: 'withdraw' }, {}, true],
    ['not while it is open', opened, none, { info: info() }, false],
    ['not when nothing was read', opened, none, {}, false],
    ['not when it was opened', pullRequest({ guarded: true }), ensure, { info: info(), sent: true }, false],
    ['not when the merge is refused', opened, merge, { problem: { reason: 'r', message: 'm' } }, false],
    [
      'not when a pull request at another commit was closed, because the next one is opened now',
      pullRequest({ guarded: true, spec: { headSHA: otherHead }, status: open }),
      none,
      { info: info({ state: 'closed' }) },
      false,
    ],
    [
      'not when a pull request of another branch was closed to open the next one',
      pullRequest({ guarded: true, spec: { sourceBranch: 'revert' }, status: open }),
      close,
      { info: info({ state: 'closed' }), withdrawn: true },
      false,
    ],
    [
      'even when the finalizer was stored only now',
      pullRequest({ status: open }),
      merge,
      { info: info({ state: 'merged' }) },
      true,
    ],
  ])('returns whether a pull request has ended: %s', (_case, object, action, outcome, expected) => {
    const status = pullRequestStatus(object, { plugin: 'github', url }, outcome, now);
    expect(hasEnded(object, 'github', { decision: action, outcome }, status)).toBe(expected);
  });
});
