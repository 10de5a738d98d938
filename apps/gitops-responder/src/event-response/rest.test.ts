import { TypedError, type ErrorType, type EventResponse, type EventResponseStatus } from '@interlock/api';
import { responseOf } from '@interlock/responding/testing';
import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';
import type { Observed } from './observed.js';
import { settle } from './settle.js';
import { at, branched, now, observe, routed } from './testing/observe.js';

/** Returns the decisions that follow from a status without a delay, because every write of a status triggers a reconcile. */
function attemptsAtOnce(
  status: EventResponseStatus,
  type: ErrorType,
  more: Partial<Observed>,
  time: number,
  retryPolicy: EventResponse['spec']['retryPolicy'] = {
    maxAttempts: 20,
    backoffStrategy: 'None',
    maxDelay: '1h',
  },
): string[] {
  const modes: string[] = [];
  let current = status;
  while (modes.length < 10) {
    const observed = observe(current, more);
    const response = { ...responseOf({ retryPolicy }), status: current };
    const decision = decide({ ...observed, response }, time);
    if (decision.type !== 'attempt') return modes;
    modes.push(decision.mode);
    const result = { type: 'failed' as const, uncertain: true, error: new TypedError(type, 'm') };
    const attempt = { response: { ...response, status: decision.status }, mode: decision.mode, result };
    current = settle({ ...attempt, maxAttempts: 0 }, time, 0).status;
  }
  return modes;
}

describe('a status that was written', () => {
  const refused: EventResponseStatus = {
    ...branched,
    error: { type: 'Unauthorized' },
    nextAttemptAt: at(600),
  };
  const elsewhere = { ...refused, route: { ...routed, repository: 'a/other' } };
  it.each<[string, EventResponseStatus, ErrorType, Partial<Observed>, string[]]>([
    [
      'new credentials are refused, too',
      refused,
      'Unauthorized',
      { credentialsChangedAt: now - 500 },
      ['submit'],
    ],
    [
      'new credentials arrive in the second in which they are tried',
      { ...refused, lastAttemptAt: at(-10) },
      'Unauthorized',
      { credentialsChangedAt: now + 300 },
      ['submit'],
    ],
    [
      'new credentials do not help find a pull request',
      {
        ...refused,
        attempts: 20,
        conditions: [
          { type: 'Submitted', status: 'Unknown', reason: 'r', message: 'm', lastTransitionTime: at(-10) },
        ],
      },
      'Unauthorized',
      { credentialsChangedAt: now - 500 },
      ['find'],
    ],
    [
      'new credentials do not help clean up a repository',
      elsewhere,
      'Unauthorized',
      { credentialsChangedAt: now - 500 },
      ['leave'],
    ],
    [
      'the earlier repository is unreachable',
      { ...elsewhere, nextAttemptAt: at(0) },
      'Transient',
      {},
      ['leave'],
    ],
  ])('causes no further attempt: %s', (_, status, type, more, modes) => {
    expect(attemptsAtOnce(status, type, more, now + 600)).toEqual(modes);
  });

  it('waits a while before it retries to clean up a repository', () => {
    const response = {
      ...responseOf({ retryPolicy: { maxAttempts: 3, backoffStrategy: 'None' } }),
      status: elsewhere,
    };
    const result = { type: 'failed' as const, uncertain: true, error: new TypedError('Transient', 'm') };
    const { requeueAfterMs } = settle({ response, mode: 'leave', result, maxAttempts: 0 }, now, 0);
    expect(requeueAfterMs).toBeGreaterThanOrEqual(5_000);
  });

  it('conforms to the schema, however long the earlier error was', () => {
    const detail = 'x'.repeat(2048);
    const decision = decide(
      observe({ ...branched, changeRequest: {}, attempts: 3, error: { type: 'Transient', detail } }),
      now,
    );
    expect(decision.type).toBe('finish');
    const status = decision.type === 'finish' ? decision.status : {};
    expect(status.error?.detail?.length).toBeLessThanOrEqual(2048);
    expect(status.outcome?.message?.length).toBeLessThanOrEqual(2048);
  });
});
