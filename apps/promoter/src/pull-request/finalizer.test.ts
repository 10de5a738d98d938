import { describe, expect, it } from '@jest/globals';
import { apiVersionOf, finalizers, PullRequest, type PullRequestStatus } from '@interlock/api';
import { Problem } from '@interlock/base';
import { sha } from '../promotion/testing/builders.js';
import type { PullRequestAction } from './action.js';
import type { PullRequestDecision } from './decide.js';
import { hasEnded, needsFinalizer } from './finalizer.js';
import { isLeftOver } from './state.js';
import type { KnownRepository, ScmView } from './observed.js';
import { pullRequestStatus, type Outcome } from './status.js';
import { info } from './testing/builders.js';
import { specDigest } from './text.js';

const [head, other] = [sha('a1'), sha('a2')];
const at = '2026-01-01T00:00:00Z';
const now = Date.parse(at);

type Spec = PullRequest['spec'];

function pullRequest(
  state: { finalizer: boolean; spec?: Partial<Spec>; status?: PullRequestStatus; deleted?: boolean },
  generation = 2,
): PullRequest {
  const { finalizer, spec, status, deleted = false } = state;
  return {
    apiVersion: apiVersionOf(PullRequest),
    kind: PullRequest.kind,
    metadata: {
      name: 'app-dev',
      namespace: 'team',
      generation,
      finalizers: finalizer ? [finalizers.pullRequest] : ['example.com/theirs'],
      ...(deleted && { deletionTimestamp: at }),
    },
    spec: {
      title: 't',
      sourceBranch: 'dev-next',
      targetBranch: 'dev',
      headSHA: head,
      state: 'open',
      ...spec,
    },
    ...(status && { status }),
  };
}

const open: PullRequestStatus = {
  state: 'open',
  headSHA: head,
  specDigest: specDigest(pullRequest({ finalizer: true }).spec),
  checkedAt: at,
  plugin: { github: { id: 7 } },
};

const known: KnownRepository = {
  plugin: 'github',
  url: 'https://forge/acme/web',
  key: { namespace: 'team', name: 'web' },
  view: 'unread',
  isSameProposal: false,
};
const none: PullRequestAction = { type: 'none' };
const ensure: PullRequestAction = { type: 'ensure' };

describe('needsFinalizer', () => {
  it.each<[string, PullRequest, PullRequestDecision, ScmView, boolean]>([
    ['before the pull request is opened', pullRequest({ finalizer: false }), ensure, 'unread', true],
    ['not where it is stored', pullRequest({ finalizer: true }), ensure, 'unread', false],
    ['where an open one has lost it', pullRequest({ finalizer: false, status: open }), none, 'unread', true],
    [
      'where somebody opened a closed one again',
      pullRequest({ finalizer: false, status: { ...open, state: 'closed' } }),
      none,
      info(),
      true,
    ],
    [
      'not where the open one turns out to be merged',
      pullRequest({ finalizer: false, status: open }),
      none,
      info({ state: 'merged' }),
      false,
    ],
    [
      'not for one that was merged',
      pullRequest({ finalizer: false, status: { ...open, state: 'merged' } }),
      none,
      'unread',
      false,
    ],
    ['not where nothing is to be opened', pullRequest({ finalizer: false }), none, 'unread', false],
    [
      'not while the next attempt of a merge is awaited',
      pullRequest({ finalizer: false, status: open }),
      { type: 'wait', ms: 1 },
      'unread',
      false,
    ],
    [
      'not on an object that is being deleted',
      pullRequest({ finalizer: false, status: open, deleted: true }),
      { type: 'close', id: 7 },
      'unread',
      false,
    ],
  ])('%s', (_case, object, action, view, expected) => {
    const repository = { ...known, view };
    expect(needsFinalizer(action, { pullRequest: object, asked: false, repository })).toBe(expected);
  });

  it('not where the repository is unknown', () => {
    const problem = new Problem('Unreachable', 'the forge is down');
    const object = pullRequest({ finalizer: false, status: open });
    const observed = { pullRequest: object, asked: false, repository: problem };
    expect(needsFinalizer({ type: 'report', problem }, observed)).toBe(false);
  });
});

describe('isLeftOver', () => {
  const merged: PullRequestStatus = { ...open, state: 'merged' };
  const { headSHA: _head, ...byHand } = pullRequest({ finalizer: true }).spec;
  it.each<[string, PullRequest, boolean]>([
    ['on one that was merged', pullRequest({ finalizer: true, status: merged }), true],
    [
      'on one that a user closed',
      pullRequest({ finalizer: true, status: { ...open, state: 'closed' } }),
      true,
    ],
    ['not on an open one', pullRequest({ finalizer: true, status: open }), false],
    ['not on one of which nothing is known', pullRequest({ finalizer: true }), false],
    ['not where it is absent', pullRequest({ finalizer: false, status: merged }), false],
    [
      'not where another commit may have been proposed',
      pullRequest({ finalizer: true, spec: { headSHA: other }, status: merged }),
      false,
    ],
    [
      'not even when that is to be closed',
      pullRequest({ finalizer: true, spec: { headSHA: other, state: 'closed' }, status: merged }),
      false,
    ],
    [
      'on one made by hand that was merged',
      {
        ...pullRequest({ finalizer: true, status: { ...merged, observedGeneration: 2 } }),
        spec: byHand,
      },
      true,
    ],
    [
      'not on one made by hand whose spec has changed since',
      {
        ...pullRequest({ finalizer: true, status: { ...merged, observedGeneration: 1 } }),
        spec: byHand,
      },
      false,
    ],
  ])('%s', (_case, object, expected) => {
    expect(isLeftOver(object)).toBe(expected);
  });
});

describe('hasEnded', () => {
  const merge: PullRequestAction = { type: 'merge', id: 7, sha: head };
  const close: PullRequestAction = { type: 'close', id: 7 };
  const opened = pullRequest({ finalizer: true, status: open });
  const unwanted = pullRequest({ finalizer: true, spec: { state: 'closed' }, status: open });
  it.each<[string, PullRequest, PullRequestAction, Outcome, boolean]>([
    ['when it was merged', opened, merge, { info: info({ state: 'merged' }) }, true],
    ['when a user merged it', opened, none, { info: info({ state: 'merged' }) }, true],
    ['when a user closed it', opened, none, { info: info({ state: 'closed' }) }, true],
    ['when it was withdrawn', unwanted, close, { info: info({ state: 'closed' }), withdrawn: true }, true],
    ['when nothing was found to withdraw', unwanted, { type: 'withdraw' }, {}, true],
    ['not while it is open', opened, none, { info: info() }, false],
    ['not when nothing was read', opened, none, {}, false],
    ['not when it was opened', pullRequest({ finalizer: true }), ensure, { info: info(), sent: true }, false],
    ['not when the merge is refused', opened, merge, { problem: { reason: 'r', message: 'm' } }, false],
    [
      'not when one at another commit was closed, as the next is opened now',
      pullRequest({ finalizer: true, spec: { headSHA: other }, status: open }),
      none,
      { info: info({ state: 'closed' }) },
      false,
    ],
    [
      'not when one for another branch made room',
      pullRequest({ finalizer: true, spec: { sourceBranch: 'revert' }, status: open }),
      close,
      { info: info({ state: 'closed' }), withdrawn: true },
      false,
    ],
    [
      'also where the finalizer was stored only now',
      pullRequest({ finalizer: false, status: open }),
      merge,
      { info: info({ state: 'merged' }) },
      true,
    ],
  ])('%s', (_case, object, action, outcome, expected) => {
    const status = pullRequestStatus(object, known, outcome, now);
    expect(hasEnded(object, 'github', { decision: action, outcome }, status)).toBe(expected);
  });
});
