import { TypedError, type ErrorType, type EventResponseStatus } from '@interlock/api';
import { describe, expect, it } from '@jest/globals';
import { responseOf } from '@interlock/responding/testing';
import { OperatorError } from '../attempt/operator-error.js';
import { decide } from './decide.js';
import { follow } from './follow.js';
import type { AttemptMode, AttemptResult, Observed } from './observed.js';
import { closed, settle, type Settlement } from './settle.js';
import {
  at,
  begun,
  branched,
  later,
  now,
  observe,
  opened,
  plan,
  request,
  routed,
} from './testing/observe.js';

describe('decide', () => {
  it.each<[string, Observed, object]>([
    ['another responder', observe(undefined, { responderName: 'other' }), { type: 'none' }],
    [
      'a new response',
      observe(undefined),
      {
        type: 'attempt',
        mode: 'submit',
        status: { phase: 'Running', stage: 'Routed', attempts: 1, startedAt: at(0), lastAttemptAt: at(0) },
      },
    ],
    [
      'no configuration',
      observe(undefined, { config: undefined }),
      { type: 'wait', status: { phase: 'Pending' } },
    ],
    [
      'no route',
      observe(undefined, {}, { match: { actionRef: 'x' } }),
      { type: 'wait', status: { phase: 'Pending' } },
    ],
    ['a delay', observe(later), { type: 'wait', requeueAfterMs: 30_000, status: { nextAttemptAt: at(30) } }],
    [
      'the end of a delay',
      observe({ ...later, nextAttemptAt: at(0) }),
      { type: 'attempt', mode: 'submit', status: { attempts: 2 } },
    ],
    [
      'no attempt left',
      observe({
        ...later,
        attempts: 3,
        nextAttemptAt: at(0),
        error: { type: 'Transient', reason: 'X', detail: 'y' },
      }),
      {
        type: 'finish',
        status: {
          phase: 'Failed',
          error: { type: 'Transient', reason: 'X', detail: '3 attempts: y' },
          completedAt: at(0),
        },
      },
    ],
    [
      '--max-attempts',
      observe({ ...later, nextAttemptAt: at(0) }, { maxAttempts: 1 }),
      { type: 'finish', status: { phase: 'Failed' } },
    ],
    ['an interrupted attempt', observe(begun), { type: 'attempt', mode: 'submit', status: { attempts: 2 } }],
    [
      'an interrupted last attempt',
      observe({ ...branched, attempts: 3 }),
      { type: 'attempt', mode: 'find', status: { attempts: 3 } },
    ],
    [
      'a URL without the phase',
      observe({ ...begun, providerRef: 'u' }),
      { type: 'finish', status: { phase: 'Succeeded', stage: 'Submitted', providerRef: 'u' } },
    ],
    ['an open pull request', observe(opened), { type: 'follow', everyMs: 300_000 }],
    [
      'a merged pull request',
      observe({ ...opened, changeRequest: { ...request, state: 'merged' } }),
      { type: 'none' },
    ],
    [
      'a recorded pull request',
      observe({ ...opened, changeRequest: { state: 'open', title: 't' } }),
      { type: 'none' },
    ],
    ['a failed response', observe({ ...later, phase: 'Failed' }), { type: 'none' }],
    [
      '401 and old credentials',
      observe({ ...later, error: { type: 'Unauthorized' } }, { credentialsChangedAt: now - 11_000 }),
      { type: 'wait', requeueAfterMs: 30_000 },
    ],
    [
      '401 and new credentials',
      observe({ ...later, error: { type: 'Unauthorized' } }, { credentialsChangedAt: now - 9_000 }),
      { type: 'attempt', mode: 'submit' },
    ],
    [
      'cancelled, before anything',
      observe({ phase: 'Cancelled' }),
      { type: 'finish', status: { phase: 'Cancelled', completedAt: at(0) } },
    ],
    ['cancelled, with a pull request', observe({ ...opened, phase: 'Cancelled' }), { type: 'close' }],
    [
      'cancelled, while an attempt ran',
      observe({ ...branched, cancelReason: 'r' }),
      { type: 'attempt', mode: 'leave', status: { phase: 'Cancelled' } },
    ],
    [
      'cancelled after it had ended',
      observe({ phase: 'Cancelled', completedAt: at(-1) }),
      { type: 'finish', status: { phase: 'Cancelled', completedAt: at(-1) } },
    ],
  ])('decides the next step: %s', (_, observed, expected) => {
    expect(decide(observed, now)).toMatchObject(expected);
  });

  const waitingForConfiguration: EventResponseStatus = {
    ...later,
    attempts: 0,
    route: routed,
    waitingFor: 'Configuration',
  };
  it.each<[string, Observed, object]>([
    [
      'the configuration that was refused',
      observe(waitingForConfiguration),
      { type: 'wait', requeueAfterMs: 30_000, status: { waitingFor: 'Configuration' } },
    ],
    [
      'another configuration',
      observe({ ...waitingForConfiguration, route: { ...routed, generation: 0 } }),
      { type: 'attempt', mode: 'submit', status: { attempts: 1, route: { generation: 1 } } },
    ],
    [
      'another configuration, after an unrelated failure',
      observe({ ...later, route: { ...routed, generation: 0 } }),
      { type: 'wait', requeueAfterMs: 30_000 },
    ],
  ])('waits until the operator changes the configuration: %s', (_, observed, expected) => {
    expect(decide(observed, now)).toMatchObject(expected);
  });

  const asked = (status: EventResponseStatus): Observed => {
    const observed = observe(status);
    const metadata = {
      ...observed.response.metadata,
      annotations: { 'security.ugallu.io/retry-requested-at': 'today' },
    };
    return { ...observed, response: { ...observed.response, metadata } };
  };
  const failedForGood: EventResponseStatus = {
    ...begun,
    attempts: 3,
    phase: 'Failed',
    completedAt: at(-5),
    error: { type: 'Permanent', reason: 'X' },
    outcome: { type: 'Errored' },
  };
  it('retries a failed response once when a user requests it', () => {
    const decision = decide(asked(failedForGood), now);
    expect(decision).toMatchObject({
      type: 'attempt',
      mode: 'submit',
      status: { phase: 'Running', stage: 'Routed', attempts: 1, lastRetryRequest: 'today' },
    });
    for (const field of ['completedAt', 'error', 'outcome'])
      expect(decision).not.toHaveProperty(`status.${field}`);
    expect(decide(asked({ ...failedForGood, lastRetryRequest: 'today' }), now)).toEqual({ type: 'none' });
    expect(decide(asked(later), now)).toMatchObject({ type: 'attempt', status: { attempts: 1 } });
  });

  it('looks up the pull request of an earlier attempt when it is retried', () => {
    const status = { ...failedForGood, route: routed, changeRequest: { branch: 'b' } };
    expect(decide(asked(status), now)).toMatchObject({
      type: 'attempt',
      mode: 'submit',
      status: { changeRequest: { branch: 'b' } },
    });
  });

  it.each<[string, EventResponseStatus]>([
    ['open', opened],
    ['rejected', { ...failedForGood, stage: 'Rejected', changeRequest: { ...request, state: 'closed' } }],
    ['cancelled', { phase: 'Cancelled', completedAt: at(-1) }],
  ])('does not retry a response that is %s', (_, status) => {
    expect(decide(asked(status), now).type).not.toBe('attempt');
  });

  it('reports why no route matches', () => {
    const decision = decide(observe(undefined, {}, { match: { actionRef: 'x' } }), now);
    expect(decision).toMatchObject({
      status: {
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'Routed', status: 'False', reason: 'NoRoute' }),
          expect.objectContaining({ type: 'Ready', status: 'False', reason: 'NoRoute' }),
        ]),
      },
    });
  });

  it('names the namespace whose configurations it reads', () => {
    const decision = decide(observe(undefined, { config: undefined }), now);
    expect(decision).toMatchObject({
      status: {
        conditions: expect.arrayContaining([
          expect.objectContaining({
            type: 'Routed',
            reason: 'NoConfiguration',
            message:
              'no valid GitOpsResponderConfig exists in namespace ugallu-system; create or correct one',
          }),
        ]),
      },
    });
  });

  it('takes no later route than one whose expression takes too many steps, and reports what to do', () => {
    const observed = observe(undefined);
    const undecided = { index: 2, reason: 'it takes more than 100000 steps' };
    const config = { name: 'default', generation: 1, routing: { undecided, results: [] } };
    const decision = decide({ ...observed, config }, now);
    const message = expect.stringMatching(
      /^the expression of route 2 of default .* 100000 steps; .* simplify/,
    );
    expect(decision).toMatchObject({
      type: 'wait',
      status: {
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'Routed', status: 'False', reason: 'TooManySteps', message }),
          expect.objectContaining({ type: 'Ready', status: 'False', reason: 'TooManySteps' }),
        ]),
      },
    });
    expect(decision).not.toHaveProperty('requeueAfterMs');
  });

  const gated = { gateRef: { name: 'freeze' } };
  const gate = { name: 'freeze', open: false, reason: 'holidays' };
  const waiting: EventResponseStatus = {
    ...begun,
    attempts: 0,
    route: routed,
    stage: 'AwaitingGate',
    plan: { digest: 'd' },
  };
  it('sets no time for the next attempt while it waits for a gate', () => {
    const decision = decide(observe({ ...waiting, nextAttemptAt: at(-5) }, { gate }, gated), now);
    expect(decision).toMatchObject({ type: 'wait', status: { stage: 'AwaitingGate' } });
    expect(decision).not.toHaveProperty('status.nextAttemptAt');
  });

  it.each<[string, Observed, object]>([
    [
      'plans while the gate is closed',
      observe(undefined, { gate }, gated),
      { type: 'attempt', mode: 'plan' },
    ],
    [
      'waits for the gate once there is a plan',
      observe(waiting, { gate }, gated),
      { type: 'wait', status: { stage: 'AwaitingGate', attempts: 0 } },
    ],
    ['waits when the gate does not exist', observe(waiting, {}, gated), { type: 'wait' }],
    [
      'looks up the pull request after an interrupted attempt',
      observe({ ...branched, plan: { digest: 'd' } }, { gate }, gated),
      { type: 'attempt', mode: 'plan' },
    ],
    [
      'continues when the gate opens',
      observe(waiting, { gate: { ...gate, open: true } }, gated),
      { type: 'attempt', mode: 'submit', status: { attempts: 1, stage: 'Routed' } },
    ],
    [
      'does not wait for the gate with Proceed',
      observe(undefined, { gate }, { ...gated, onGateClosed: 'Proceed' }),
      { type: 'attempt', mode: 'submit' },
    ],
    [
      'waits while too many pull requests are open',
      observe(waiting, { openRequests: 2 }, { limits: { maxOpenPRs: 2 } }),
      { type: 'wait', requeueAfterMs: 60_000 },
    ],
    [
      'waits while too many pull requests of a route without a limit are open',
      observe(waiting, { openRequests: 20 }),
      { type: 'wait', requeueAfterMs: 60_000 },
    ],
    [
      'continues while fewer pull requests are open',
      observe(waiting, { openRequests: 1 }, { limits: { maxOpenPRs: 2 } }),
      { type: 'attempt', mode: 'submit' },
    ],
  ])('%s', (_, observed, expected) => {
    expect(decide(observed, now)).toMatchObject(expected);
  });
});

describe('settle', () => {
  const after = (result: AttemptResult, mode: AttemptMode = 'submit', status = begun): Settlement =>
    settle({ response: { ...responseOf(), status }, mode, result, maxAttempts: 0 }, now, 0.5);
  const failure = (type: ErrorType, retryAfterMs?: number): AttemptResult => ({
    type: 'failed',
    uncertain: false,
    error: new TypedError(type, 'm', { retryAfterMs }),
  });

  it.each<[string, Settlement, object]>([
    [
      'submitted',
      after({ type: 'submitted', request, plan }),
      {
        phase: 'Succeeded',
        stage: 'Submitted',
        providerRef: 'https://x/7',
        changeRequest: request,
        outcome: { type: 'ActionTaken' },
        plan: { digest: 'd', removed: 3 },
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'Planned', message: 'files to change: 1' }),
        ]),
      },
    ],
    [
      'recorded',
      after({ type: 'submitted', request: { state: 'open', title: 't' }, plan, recorded: true }),
      { phase: 'Succeeded', outcome: { type: 'Skipped' }, changeRequest: { title: 't' } },
    ],
    [
      'nothing to change',
      after({ type: 'nothingToChange', plan: { ...plan, files: [] } }),
      { phase: 'Succeeded', stage: 'Planned', outcome: { type: 'NoActionNeeded' } },
    ],
    [
      'planned',
      after({ type: 'planned', plan }),
      {
        phase: 'Running',
        stage: 'AwaitingGate',
        attempts: 0,
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'Planned', message: 'files that would change: 1' }),
        ]),
      },
    ],
    [
      'merged',
      after({ type: 'settled', request: { ...request, state: 'merged', mergedSHA: 's' } }),
      { phase: 'Succeeded', stage: 'Merged', providerRef: 'https://x/7' },
    ],
    [
      'closed',
      after({ type: 'settled', request: { ...request, state: 'closed' } }),
      { phase: 'Failed', stage: 'Rejected', error: { type: 'Conflicting', reason: 'Rejected' } },
    ],
    [
      'foreign commits',
      after({ type: 'foreignCommits', branch: 'b' }),
      { phase: 'Failed', error: { type: 'Conflicting', reason: 'ForeignCommits' } },
    ],
    [
      'absent',
      after({ type: 'absent' }, 'find'),
      { phase: 'Failed', error: { reason: 'AttemptsExhausted' } },
    ],
    [
      'transient',
      after(failure('Transient')),
      { phase: 'Running', nextAttemptAt: at(5), error: { type: 'Transient' } },
    ],
    ['Retry-After', after(failure('Transient', 90_000)), { nextAttemptAt: at(90) }],
    [
      '401',
      after(failure('Unauthorized')),
      { phase: 'Running', nextAttemptAt: at(300), error: { type: 'Unauthorized' } },
    ],
    [
      'a route that cannot be used',
      after({
        type: 'failed',
        uncertain: false,
        error: new OperatorError('Invalid', 'm', { reason: 'TemplateInvalid' }),
      }),
      {
        phase: 'Running',
        attempts: 0,
        waitingFor: 'Configuration',
        nextAttemptAt: at(300),
        error: { type: 'Transient', reason: 'TemplateInvalid' },
      },
    ],
    [
      '401, at the last attempt',
      after(failure('Unauthorized'), 'submit', { ...begun, attempts: 3 }),
      { phase: 'Running', attempts: 2, waitingFor: 'Credential' },
    ],
    [
      '422',
      after(failure('Invalid')),
      { phase: 'Failed', error: { type: 'Permanent' }, outcome: { type: 'Errored' } },
    ],
    [
      'the last failure',
      after(failure('Transient'), 'submit', { ...begun, attempts: 3 }),
      { phase: 'Failed', error: { type: 'Transient' }, completedAt: at(0) },
    ],
    [
      'a rate limit, at the last attempt',
      after(failure('RateLimited', 60_000), 'submit', { ...begun, attempts: 3 }),
      { phase: 'Running', attempts: 2, nextAttemptAt: at(60), error: { type: 'Transient' } },
    ],
    [
      'found after a cancellation',
      after({ type: 'submitted', request }, 'find', { ...begun, cancelReason: 'r' }),
      { phase: 'Cancelled', changeRequest: { state: 'open' } },
    ],
  ])('stores the result of an attempt: %s', (_, settlement, expected) => {
    expect(settlement.status).toMatchObject(expected);
  });

  it('retries when the lookup of a pull request fails', () => {
    const { status, requeueAfterMs } = after(failure('Transient'), 'find', { ...branched, attempts: 3 });
    expect(requeueAfterMs).toBe(20_000);
    expect(decide(observe(status), now + 19_000)).toMatchObject({ type: 'wait', requeueAfterMs: 1_000 });
    expect(decide(observe(status), now + 20_000)).toMatchObject({ type: 'attempt', mode: 'find' });
  });

  it('does not conclude that the pull request is missing when the repository is inaccessible', () => {
    const error = new TypedError('NotFound', '404');
    const { status } = after({ type: 'failed', uncertain: true, error }, 'find', {
      ...branched,
      attempts: 3,
    });
    expect(status).toMatchObject({ phase: 'Running', nextAttemptAt: at(300) });
    expect(decide(observe(status), now + 300_000)).toMatchObject({ type: 'attempt', mode: 'find' });
  });

  it('keeps the delay, however often the status is written', () => {
    const { status } = after(failure('Transient', 90_000));
    const first = decide(observe(status), now + 10_000);
    expect(first).toMatchObject({ type: 'wait', requeueAfterMs: 80_000, status: { nextAttemptAt: at(90) } });
    const written = first.type === 'wait' ? first.status : undefined;
    expect(decide(observe(written), now + 20_000)).toMatchObject({ type: 'wait', requeueAfterMs: 70_000 });
  });
});

describe('follow and closed', () => {
  const response = { ...responseOf(), status: opened };
  it.each([
    [{ headSHA: 'n' }, { phase: 'Succeeded', stage: 'Submitted', changeRequest: { headSHA: 'n' } }],
    [{ state: 'merged' as const }, { phase: 'Succeeded', stage: 'Merged' }],
    [{ state: 'closed' as const }, { phase: 'Failed', stage: 'Rejected' }],
  ])('follows a pull request that becomes %j', (change, expected) => {
    expect(follow(response, { ...request, ...change }, now)).toMatchObject(expected);
  });

  it('ends a cancelled response', () => {
    const status = closed(
      { ...response, status: { ...opened, cancelReason: 'r' } },
      { ...request, state: 'closed' },
      now,
    );
    expect(status).toMatchObject({
      phase: 'Cancelled',
      stage: 'Superseded',
      changeRequest: { state: 'closed' },
    });
    expect(decide(observe(status), now)).toEqual({ type: 'finish', status });
  });
});
