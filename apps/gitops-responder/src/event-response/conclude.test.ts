import { TypedError, type EventResponse, type EventResponseStatus } from '@interlock/api';
import { Failure, type Conclusion } from '@interlock/kube';
import { responseOf } from '@interlock/responding/testing';
import { describe, expect, it } from '@jest/globals';
import { concludeResponse } from './conclude.js';
import type { Decision, ResponseOutcome } from './observed.js';
import { at, begun, branched, now, observe, opened, plan, request } from './testing/observe.js';

const attempt: Decision = { type: 'attempt', mode: 'submit', status: branched };
const everyHour: Decision = { type: 'follow', everyMs: 3_600_000 };
const close: Decision = { type: 'close' };
const away = new TypedError('Transient', '502');
const refusedAs = (type: string, reason: string, message: string) =>
  expect.objectContaining({ type, status: 'False', reason, message });

/** Returns the conditions of a response whose pull request cannot be read; the time in seconds after now. */
function unreadable(since: number, reason = 'PullRequestMissing'): EventResponseStatus['conditions'] {
  const message = '404';
  return [{ type: 'Followed', status: 'False', reason, message, lastTransitionTime: at(since) }];
}

/** Returns the conclusion about a response with a new status at the end of the act. */
function conclude(
  decision: Decision,
  outcome: ResponseOutcome | Failure | undefined,
  current: EventResponseStatus = branched,
): Conclusion<EventResponse> {
  const concluding = concludeResponse(observe(begun), decision, outcome, now);
  return typeof concluding === 'function' ? concluding({ ...responseOf(), status: current }) : concluding;
}

describe('concludeResponse', () => {
  it.each<[string, Decision, Conclusion<EventResponse>]>([
    ['nothing', { type: 'none' }, {}],
    ['a delay', { type: 'wait', status: begun, requeueAfterMs: 7 }, { status: begun, requeueAfterMs: 7 }],
    ['an end', { type: 'finish', status: opened }, { status: opened }],
  ])('stores the decision: %s', (_, decision, expected) => {
    /* It is not a function: such a status applies only to the observed version. */
    expect(concludeResponse(observe(begun), decision, undefined, now)).toEqual(expected);
  });

  it.each([attempt, everyHour, close])(
    'does not change the status when the act fails (decision: $type)',
    (decision) => {
      expect(concludeResponse(observe(begun), decision, new Failure(away, true), now)).toEqual({});
    },
  );

  it.each<[string, Decision, ResponseOutcome, EventResponseStatus, object]>([
    [
      'an attempt that succeeded',
      attempt,
      {
        type: 'attempted',
        mode: 'submit',
        result: { type: 'submitted', request, plan },
        refused: ['labels', 'ada'],
      },
      branched,
      {
        status: {
          phase: 'Succeeded',
          stage: 'Submitted',
          changeRequest: request,
          conditions: expect.arrayContaining([refusedAs('Decorated', 'NotDecorated', 'labels; ada')]),
        },
      },
    ],
    [
      'an attempt that failed, half of the longest backoff ahead',
      attempt,
      {
        type: 'attempted',
        mode: 'submit',
        result: { type: 'failed', error: away, uncertain: false },
      },
      branched,
      { status: { phase: 'Running', nextAttemptAt: at(5) }, requeueAfterMs: 5_000 },
    ],
    [
      'an attempt that succeeded, of a response that was cancelled in the meantime',
      attempt,
      { type: 'attempted', mode: 'submit', result: { type: 'submitted', request, plan } },
      { ...branched, cancelReason: 'a false alarm' },
      { status: { phase: 'Cancelled', cancelReason: 'a false alarm', changeRequest: { state: 'open' } } },
    ],
    ['an attempt that lost a conflict', attempt, { type: 'tooLate' }, begun, { requeueAfterMs: 0 }],
    [
      'an open pull request',
      everyHour,
      { type: 'read', request },
      opened,
      { status: { phase: 'Succeeded', stage: 'Submitted' }, requeueAfterMs: 3_780_000 },
    ],
    [
      'a merged pull request of a response that was cancelled in the meantime',
      everyHour,
      { type: 'read', request: { ...request, state: 'merged' } },
      { ...opened, phase: 'Cancelled' },
      { status: { phase: 'Cancelled', stage: 'Merged' } },
    ],
    [
      'a pull request that cannot be read',
      everyHour,
      { type: 'notRead', error: away },
      opened,
      {
        status: {
          phase: 'Succeeded',
          conditions: [expect.objectContaining({ type: 'Followed', status: 'False' })],
        },
        requeueAfterMs: 3_780_000,
      },
    ],
    [
      'a pull request that does not exist any more',
      everyHour,
      { type: 'missing' },
      opened,
      {
        status: {
          phase: 'Succeeded',
          conditions: [
            expect.objectContaining({ type: 'Followed', status: 'False', reason: 'PullRequestMissing' }),
          ],
        },
        requeueAfterMs: 3_780_000,
      },
    ],
    [
      'a pull request that has not existed for an hour',
      everyHour,
      { type: 'missing' },
      { ...opened, conditions: unreadable(-3_600) },
      {
        status: {
          phase: 'Failed',
          stage: 'Rejected',
          changeRequest: { number: 7, state: 'closed' },
          error: { type: 'Conflicting', reason: 'PullRequestDeleted' },
          conditions: expect.not.arrayContaining([expect.objectContaining({ type: 'Followed' })]),
        },
      },
    ],
    [
      'a pull request that has not existed for 59 minutes',
      everyHour,
      { type: 'missing' },
      { ...opened, conditions: unreadable(-3_540) },
      { status: { phase: 'Succeeded', stage: 'Submitted', changeRequest: { state: 'open' } } },
    ],
    [
      'a pull request that is missing at the end of an outage of two hours',
      everyHour,
      { type: 'missing' },
      { ...opened, conditions: unreadable(-7_200, 'Away') },
      {
        status: {
          phase: 'Succeeded',
          conditions: [expect.objectContaining({ reason: 'PullRequestMissing', lastTransitionTime: at(0) })],
        },
      },
    ],
    [
      'an outage of the server after a pull request was missing, whose duration does not count',
      everyHour,
      { type: 'notRead', error: away },
      { ...opened, conditions: unreadable(-3_600) },
      { status: { phase: 'Succeeded', conditions: [expect.objectContaining({ reason: 'Transient' })] } },
    ],
    [
      'a pull request that cannot be read at once after it was missing, because each write causes a read',
      everyHour,
      { type: 'notRead', error: away },
      { ...opened, conditions: unreadable(-59) },
      { status: { ...opened, conditions: unreadable(-59) } },
    ],
    [
      'a missing pull request of a response that was cancelled in the meantime',
      everyHour,
      { type: 'missing' },
      { ...opened, phase: 'Cancelled', conditions: unreadable(-3_600) },
      { status: { phase: 'Cancelled', stage: 'Submitted', changeRequest: { state: 'open' } } },
    ],
    [
      'a pull request that was closed',
      close,
      { type: 'closed', request: { ...request, state: 'closed' }, refused: ['the comment'] },
      { ...opened, phase: 'Cancelled' },
      {
        status: {
          phase: 'Cancelled',
          stage: 'Superseded',
          changeRequest: { state: 'closed' },
          conditions: expect.arrayContaining([refusedAs('CleanedUp', 'NotCleanedUp', 'the comment')]),
        },
      },
    ],
    [
      'a pull request that could not be closed',
      close,
      { type: 'notClosed', error: away },
      { ...opened, phase: 'Cancelled' },
      { status: { phase: 'Cancelled', nextAttemptAt: at(5) }, requeueAfterMs: 5_000 },
    ],
  ])('is based on the current status of the response: %s', (_, decision, outcome, current, expected) => {
    expect(conclude(decision, outcome, current)).toMatchObject(expected);
  });

  it('does not report labels any longer that the SCM accepts', () => {
    const conditions = [
      {
        type: 'Decorated',
        status: 'False' as const,
        reason: 'NotDecorated',
        message: 'labels',
        lastTransitionTime: at(-9),
      },
    ];
    const result = { type: 'submitted' as const, request, plan };
    const { status } = conclude(
      attempt,
      { type: 'attempted', mode: 'submit', result },
      { ...branched, conditions },
    );
    expect(status?.conditions?.map(({ type }) => type)).not.toContain('Decorated');
  });
});
