import { TypedError, type EventResponseStatus } from '@interlock/api';
import { responseOf } from '@interlock/responding/testing';
import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';
import { follow } from './follow.js';
import { closed, notClosed, settle } from './settle.js';
import { at, begun, branched, later, now, observe, opened, request } from './testing/observe.js';

describe('a cancellation', () => {
  it.each<[string, Parameters<typeof observe>[0]]>([
    ['before anything was created', { ...begun, cancelReason: 'r' }],
    ['during a delay, before anything was created', { ...later, phase: 'Cancelled' }],
    [
      'while it waits for a gate',
      { ...begun, stage: 'AwaitingGate', plan: { digest: 'd' }, cancelReason: 'r' },
    ],
  ])('makes no calls %s', (_, status) => {
    expect(decide(observe(status), now)).toMatchObject({
      type: 'finish',
      status: { phase: 'Cancelled', completedAt: at(0) },
    });
  });

  it('waits before it tries again to close the pull request, unless the credentials are new', () => {
    const response = { ...responseOf(), status: { ...opened, phase: 'Cancelled' as const } };
    const error = new TypedError('Unauthorized', 'request 1a2b was refused');
    const { status, requeueAfterMs } = notClosed(response, error, now, 0);
    expect(requeueAfterMs).toBe(300_000);
    expect(status).toMatchObject({
      phase: 'Cancelled',
      error: { type: 'Unauthorized' },
      nextAttemptAt: at(300),
    });
    expect(decide(observe(status), now + 1000)).toMatchObject({ type: 'wait', requeueAfterMs: 299_000 });
    expect(decide(observe(status, { credentialsChangedAt: now + 2_000 }), now + 2_000)).toEqual({
      type: 'close',
    });
    expect(decide(observe(status), now + 300_000)).toEqual({ type: 'close' });
    const after = closed({ ...response, status }, { ...request, state: 'closed' }, now + 300_000);
    expect(after.nextAttemptAt).toBeUndefined();
    expect(after.error).toBeUndefined();
  });

  it('is retried soon when the forge is unreachable', () => {
    const response = { ...responseOf(), status: { ...opened, phase: 'Cancelled' as const } };
    expect(notClosed(response, new TypedError('Transient', '502'), now, 0).requeueAfterMs).toBe(5_000);
  });

  const submitted = (status: 'False' | 'Unknown', reason: string): EventResponseStatus['conditions'] => [
    { type: 'Submitted', status, reason, message: '', lastTransitionTime: at(-20) },
  ];
  /** Returns the settlement of a search that finds nothing. */
  const search = (from: EventResponseStatus, when: number) => {
    const decision = decide(observe(from), when);
    if (decision.type !== 'attempt') throw new Error(decision.type);
    const response = { ...responseOf(), status: decision.status };
    return settle({ response, mode: decision.mode, result: { type: 'absent' }, maxAttempts: 0 }, when, 0);
  };

  it.each<[string, EventResponseStatus]>([
    ['was interrupted', branched],
    ['was interrupted after one that failed', { ...branched, conditions: submitted('False', 'Why') }],
    [
      'has an unknown outcome',
      { ...branched, nextAttemptAt: at(0), conditions: submitted('Unknown', 'Why') },
    ],
  ])('searches twice for the pull request of an attempt that %s', (_, status) => {
    const first = search({ ...status, phase: 'Cancelled' }, now);
    expect(first).toMatchObject({ status: { nextAttemptAt: at(60) }, requeueAfterMs: 60_000 });
    expect(first.status.completedAt).toBeUndefined();
    expect(decide(observe(first.status), now + 1_000)).toMatchObject({
      type: 'wait',
      requeueAfterMs: 59_000,
    });
    const second = search(first.status, now + 60_000);
    expect(second.status).toMatchObject({ phase: 'Cancelled', completedAt: at(60) });
    expect(decide(observe(second.status), now + 60_000)).toMatchObject({ type: 'finish' });
  });

  it('searches once for the branch of an attempt that failed before the pull request', () => {
    const failed = { ...branched, nextAttemptAt: at(30), conditions: submitted('False', 'Why') };
    const { status } = search({ ...failed, phase: 'Cancelled' }, now + 30_000);
    expect(status).toMatchObject({ phase: 'Cancelled', completedAt: at(30) });
  });

  it('searches twice for the pull request of an attempt that began after a search without a result', () => {
    const conditions = submitted('Unknown', 'PullRequestNotFound');
    const begun = decide(observe({ ...branched, nextAttemptAt: at(0), conditions }), now);
    if (begun.type !== 'attempt') throw new Error(begun.type);
    expect(begun.mode).toBe('submit');
    const { status } = search({ ...begun.status, phase: 'Cancelled' }, now);
    expect(status.nextAttemptAt).toBe(at(60));
    expect(status.completedAt).toBeUndefined();
  });

  it('reports a pull request that was merged before it was found', () => {
    const response = { ...responseOf(), status: { ...branched, phase: 'Cancelled' as const } };
    const result = { type: 'settled' as const, request: { ...request, state: 'merged' as const } };
    const { status } = settle({ response, mode: 'leave', result, maxAttempts: 0 }, now, 0);
    expect(status).toMatchObject({ phase: 'Cancelled', stage: 'Merged', changeRequest: { state: 'merged' } });
  });

  it('is not overwritten by a read of the pull request', () => {
    const response = { ...responseOf(), status: { ...opened, phase: 'Cancelled' as const } };
    expect(follow(response, { ...request, state: 'merged' }, now)).toMatchObject({
      phase: 'Cancelled',
      stage: 'Merged',
    });
    expect(follow(response, { ...request, state: 'closed' }, now)).toMatchObject({
      phase: 'Cancelled',
      stage: 'Superseded',
    });
    const open = follow(response, request, now);
    expect(decide(observe(open), now)).toEqual({ type: 'close' });
  });
});

describe('a response that may have a pull request', () => {
  const unknown = { conditions: [], ...branched };
  it.each<[string, Parameters<typeof observe>]>([
    ['its event was deleted', [unknown, { missingEvent: 'gone' }]],
    ['no route matches it any longer', [unknown, {}, { match: { actionRef: 'x' } }]],
    [
      'it is to be merged into another branch',
      [unknown, {}, { provider: { kind: 'noop', repository: 'a/b', baseBranch: 'release' } }],
    ],
  ])('is not abandoned when %s', (_, given) => {
    expect(decide(observe(...given), now)).toMatchObject({ type: 'attempt', mode: 'leave' });
  });

  it('has succeeded when a pull request that was assumed lost is open', () => {
    const response = {
      ...responseOf(),
      status: { ...opened, phase: 'Failed' as const, error: { type: 'Permanent' as const } },
    };
    const status = follow(response, request, now);
    expect(status).toMatchObject({
      phase: 'Succeeded',
      stage: 'Submitted',
      outcome: { type: 'ActionTaken' },
    });
    expect(status.error).toBeUndefined();
  });
});

describe('a plan', () => {
  it('is recreated for another repository while the gate is closed', () => {
    const status = {
      ...begun,
      attempts: 0,
      stage: 'AwaitingGate' as const,
      plan: { digest: 'd' },
      route: branched.route,
    };
    const gate = { name: 'g', open: false, reason: 'r' };
    const elsewhere = { kind: 'noop', repository: 'a/other', baseBranch: 'main' } as const;
    const gated = { gateRef: { name: 'g' } };
    expect(decide(observe(status, { gate }, gated), now)).toMatchObject({ type: 'wait' });
    expect(decide(observe(status, { gate }, { ...gated, provider: elsewhere }), now)).toMatchObject({
      type: 'attempt',
      mode: 'plan',
    });
  });
});
