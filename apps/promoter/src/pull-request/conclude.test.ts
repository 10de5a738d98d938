import { describe, expect, it } from '@jest/globals';
import { timestampOf, TypedError, type PullRequest } from '@interlock/api';
import { Problem } from '@interlock/base';
import { ApiError, Failure, getCondition, type Conclusion } from '@interlock/kube';
import { concludePullRequest } from './conclude.js';
import type { PullRequestDecision } from './decide.js';
import type { PendingMerge } from './merge-attempts.js';
import { MergeRefused } from './merge-refused.js';
import type { ScmView } from './observed.js';
import type { Outcome } from './status.js';
import { at, head, info, now, observed, open, otherHead, pullRequest, url } from './testing/builders.js';

const merge = { type: 'merge', id: 7, sha: head } as const;
const merging = pullRequest({ guarded: true, spec: { merge: { sha: head, method: 'merge' } }, status: open });
const queued: PendingMerge = {
  sha: head,
  state: 'Queued',
  reason: 'InMergeQueue',
  message: 'first in the queue',
  since: at,
  attempts: 1,
  retryAt: at,
};
const minutes = 60_000;
const request = { method: 'GET', path: '/api/v1/secrets' };

function conclude(
  object: PullRequest,
  decision: PullRequestDecision,
  outcome: Outcome | Failure = {},
  view: ScmView = 'unread',
): Conclusion<PullRequest> {
  return concludePullRequest(observed(object, view), decision, outcome, now);
}

const reasons = ({ happened = [] }: Conclusion<PullRequest>): string[] =>
  happened.map(({ reason }) => reason);
const readyOf = ({ status }: Conclusion<PullRequest>) => getCondition(status?.conditions, 'Ready');

describe('the conclusion about a pull request', () => {
  it('for an opened pull request contains its status, an event, and another reconcile', () => {
    const conclusion = conclude(pullRequest(), { type: 'ensure' }, { info: info(), sent: true });
    expect(conclusion).toMatchObject({
      status: { state: 'open', repository: { url } },
      releases: false,
      requeueAfterMs: 0,
    });
    expect(readyOf(conclusion)).toMatchObject({ status: 'True' });
    expect(reasons(conclusion)).toEqual(['PullRequestOpened']);
  });

  it('for an open pull request without changes requests a read after five minutes', () => {
    const conclusion = conclude(pullRequest({ status: open }), { type: 'none' });
    expect(conclusion).toMatchObject({ releases: false, requeueAfterMs: 5 * minutes });
    expect(reasons(conclusion)).toEqual([]);
  });

  it('for a merged pull request removes the finalizer', () => {
    const conclusion = conclude(merging, merge, { info: info({ state: 'merged', mergedBy: 'ada' }) });
    expect(conclusion).toMatchObject({ status: { state: 'merged' }, releases: true });
    expect(conclusion.requeueAfterMs).toBeUndefined();
    expect(conclusion.happened).toMatchObject([
      {
        type: 'Normal',
        reason: 'PullRequestMerged',
        action: 'Promote',
        note: 'https://forge/7 (dev-next into dev) was merged by ada',
      },
    ]);
  });

  it('for a pull request that was closed because another source branch is required requests another reconcile', () => {
    const object = pullRequest({ guarded: true, spec: { sourceBranch: 'undo' }, status: open });
    const closed = { info: info({ state: 'closed' }), withdrawn: true };
    const conclusion = conclude(object, { type: 'close', id: 7 }, closed);
    expect(conclusion).toMatchObject({ releases: false, requeueAfterMs: 0 });
    expect(conclusion.status?.headSHA).toBeUndefined();
  });

  it('for a pull request that a user closed requests a read after half an hour, because it may be reopened', () => {
    const closed = pullRequest({ status: { ...open, state: 'closed' } });
    expect(conclude(closed, { type: 'none' }).requeueAfterMs).toBe(30 * minutes);
    const unwanted = pullRequest({ spec: { state: 'closed' }, status: { ...open, state: 'closed' } });
    expect(conclude(unwanted, { type: 'none' }).requeueAfterMs).toBeUndefined();
  });

  it('for a pull request that a user closed and the SCM no longer has requests no read, because there is none to reopen', () => {
    const checkedAt = timestampOf(now - 30 * minutes);
    const closed = pullRequest({ status: { ...open, state: 'closed', checkedAt } });
    expect(conclude(closed, { type: 'none' }, {}, 'absent').requeueAfterMs).toBeUndefined();
  });

  it('for a deleted and closed pull request has no status', () => {
    const object = pullRequest({ guarded: true, deleted: true, status: open });
    const closed = { info: info({ state: 'closed' }), withdrawn: true };
    const conclusion = conclude(object, { type: 'close', id: 7 }, closed);
    expect(conclusion).toMatchObject({ releases: true });
    expect(conclusion.status).toBeUndefined();
    expect(reasons(conclusion)).toEqual(['PullRequestClosed']);
  });

  it.each([
    [false, 0, []],
    [true, undefined, ['PullRequestLeft']],
  ])('for a foreign pull request releases the object (deleted: %s)', (deleted, requeueAfterMs, events) => {
    const object = pullRequest({ guarded: true, deleted, status: open });
    const conclusion = conclude(object, { type: 'release' }, {}, 'foreign');
    expect(conclusion).toMatchObject({ releases: true });
    expect(conclusion.status).toBeUndefined();
    expect(conclusion.requeueAfterMs).toBe(requeueAfterMs);
    expect(reasons(conclusion)).toEqual(events);
  });

  it('for a foreign pull request removes its record from the status', () => {
    const conclusion = conclude(pullRequest({ status: open }), { type: 'forget' }, {}, 'foreign');
    expect(conclusion.status).toMatchObject({ observedGeneration: 1, repository: { url } });
    expect(conclusion.status?.plugin).toBeUndefined();
    expect(readyOf(conclusion)).toMatchObject({ status: 'False', reason: 'PullRequestLeft' });
    expect(reasons(conclusion)).toEqual(['PullRequestLeft']);
    expect(conclusion.requeueAfterMs).toBe(0);
  });

  it('for a merge that has to wait contains only the time until the next attempt', () => {
    expect(conclude(merging, { type: 'wait', ms: 7 })).toEqual({ requeueAfterMs: 7 });
  });

  it('for a merge that has to wait for long requests a read after five minutes all the same', () => {
    expect(conclude(merging, { type: 'wait', ms: 30 * minutes })).toEqual({ requeueAfterMs: 5 * minutes });
  });

  it('for a merge that is held back reports the reason, and keeps the finalizer', () => {
    const problem = { reason: 'Order', message: 'not merged: test runs something else' };
    const conclusion = conclude(merging, merge, { problem });
    expect(readyOf(conclusion)).toMatchObject({ status: 'False', ...problem });
    expect(conclusion).toMatchObject({ releases: false, requeueAfterMs: 5 * minutes });
  });

  it('for a repository that is unknown keeps the known fields and adds the reason', () => {
    const problem = new Problem('Unreachable', 'the forge is down');
    const observation = { pullRequest: merging, asked: false, repository: problem };
    const conclusion = concludePullRequest(observation, { type: 'report', problem }, {}, now);
    expect(conclusion.status).toMatchObject({ state: 'open', plugin: { github: { id: 7 } } });
    expect(readyOf(conclusion)).toMatchObject({ status: 'False', reason: 'Unreachable' });
  });
});

describe('the conclusion from a failure', () => {
  const refused = (reason: string): Failure =>
    new Failure(new MergeRefused(head, new TypedError('Conflict', 'not yet', { reason })), true);

  it('of the SCM that persists reports a problem', () => {
    const error = new TypedError('RateLimited', 'later', { reason: 'TooMany' });
    const conclusion = conclude(pullRequest(), { type: 'ensure' }, new Failure(error, true));
    expect(readyOf(conclusion)).toMatchObject({ status: 'False', reason: 'TooMany', message: 'later' });
    expect(conclusion.requeueAfterMs).toBeUndefined();
  });

  it.each([
    ['that may pass by itself', new Failure(new TypedError('Transient', 'later'), false)],
    [
      'of the cluster',
      new Failure(new ApiError('Permanent', 'no', { reason: 'Forbidden', code: 403, ...request }), true),
    ],
  ])('%s is empty', (_case, failure) => {
    expect(conclude(pullRequest(), { type: 'ensure' }, failure)).toEqual({});
  });

  it('to merge records a pending merge, and requests a later attempt', () => {
    const conclusion = conclude(merging, merge, refused('Blocked'));
    expect(conclusion.status?.merge).toMatchObject({
      sha: head,
      state: 'Refused',
      reason: 'Blocked',
      attempts: 1,
      since: at,
    });
    expect(readyOf(conclusion)).toMatchObject({ status: 'False', reason: 'Blocked' });
    expect(conclusion.requeueAfterMs).toBe(30_000);
  });

  it('to merge again and again requests a read after five minutes, because a user may have closed it', () => {
    const refusal = { ...queued, state: 'Refused', reason: 'Blocked', attempts: 9 } as const;
    const object = { ...merging, status: { ...open, merge: refusal } };
    expect(conclude(object, merge, refused('Blocked')).requeueAfterMs).toBe(5 * minutes);
  });

  it('to merge a pull request with another base requests an immediate reconcile', () => {
    expect(conclude(merging, merge, refused('Retargeted')).requeueAfterMs).toBe(0);
  });

  it('to leave the merge queue keeps the record of the queue until the pull request has left the queue', () => {
    const object = pullRequest({ status: { ...open, merge: queued } });
    const dequeue = { type: 'dequeue', id: 7 } as const;
    const failed = conclude(object, dequeue, new Failure(new TypedError('Permanent', 'no'), true));
    expect(failed.status?.merge).toEqual(queued);
    expect(conclude(object, dequeue).status?.merge).toBeUndefined();
  });

  it('to merge an earlier commit does not appear in the status for the next commit', () => {
    const before = conclude(merging, merge, refused('Blocked')).status;
    const next = pullRequest({
      spec: { headSHA: otherHead, merge: { sha: otherHead, method: 'merge' } },
      status: before,
    });
    expect(
      conclude(next, { type: 'none' }, { info: info({ headSha: otherHead }) }).status?.merge,
    ).toBeUndefined();
  });
});
