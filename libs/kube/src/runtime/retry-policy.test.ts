import { describe, expect, it } from '@jest/globals';
import { TypedError, type ErrorType } from '@interlock/api';
import { ApiError } from '../client/api-error.js';
import { retryPolicy } from './retry-policy.js';

function typed(type: ErrorType, retryAfterMs?: number): TypedError {
  return new TypedError(type, 'No.', retryAfterMs === undefined ? {} : { retryAfterMs });
}

const line = { method: 'PATCH', path: '/apis/a/v1/bs/c' };
const forbidden = new ApiError('Unauthorized', 'No.', { ...line, code: 403, reason: 'Forbidden' });

describe('retryPolicy', () => {
  it.each([
    [
      'a transient failure',
      typed('Transient'),
      1,
      { action: 'backoff', level: 'warn', failure: true, condition: 'Reconciling' },
    ],
    [
      'a repeated transient failure',
      typed('Transient'),
      6,
      { action: 'backoff', level: 'error', eventType: 'Warning' },
    ],
    [
      'a transient failure with a delay',
      typed('Transient', 3_000),
      1,
      { action: 'after', delayMs: 3_000, jitterMs: 300 },
    ],
    [
      'a rate limit',
      typed('RateLimited', 90_000),
      3,
      { action: 'after', delayMs: 90_000, jitterMs: 9_000, level: 'info', failure: false },
    ],
    ['a rate limit without a delay', typed('RateLimited'), 1, { action: 'after', delayMs: 60_000 }],
    ['a conflict', typed('Conflict'), 1, { action: 'after', delayMs: 0, jitterMs: 100, level: 'debug' }],
    ['a repeated conflict', typed('Conflict'), 6, { action: 'backoff', level: 'warn' }],
    [
      'an object that may just have been deleted',
      typed('NotFound'),
      1,
      { action: 'after', delayMs: 1_000, level: 'debug', condition: 'Stalled' },
    ],
    [
      'a missing object',
      typed('NotFound'),
      2,
      { action: 'wait', delayMs: 300_000, level: 'error', condition: 'Stalled', holdOffMs: 0 },
    ],
    ['an invalid manifest', typed('Invalid'), 9, { action: 'wait', delayMs: 300_000, eventType: 'Warning' }],
    [
      'a permanent failure',
      typed('Permanent'),
      1,
      { action: 'wait', delayMs: 300_000, condition: 'Stalled' },
    ],
    [
      'a refused credential',
      typed('Unauthorized'),
      1,
      { action: 'wait', delayMs: 300_000, holdOffMs: 1_000 },
    ],
    ['a credential that is refused again', typed('Unauthorized'), 4, { action: 'wait', holdOffMs: 8_000 }],
    [
      'a credential that is refused repeatedly',
      typed('Unauthorized'),
      99,
      { action: 'wait', holdOffMs: 60_000 },
    ],
    [
      'a refusal by an API server, which does not know all roles yet when it starts',
      forbidden,
      1,
      { action: 'wait', delayMs: 1_000, jitterMs: 100, holdOffMs: 1_000, condition: 'Stalled' },
    ],
    ['a repeated refusal by an API server', forbidden, 5, { action: 'wait', delayMs: 16_000 }],
    ['a permission that is missing for long', forbidden, 99, { delayMs: 300_000, jitterMs: 30_000 }],
    [
      'several refusals by an API server',
      new TypedError('Unauthorized', 'No.', { cause: forbidden }),
      1,
      { action: 'wait', delayMs: 1_000 },
    ],
    [
      'a credential that is missing according to an API server',
      new TypedError('Unauthorized', 'No.', {
        cause: new ApiError('NotFound', 'No.', { ...line, code: 404, reason: 'NotFound' }),
      }),
      1,
      { action: 'wait', delayMs: 300_000 },
    ],
    [
      'a defect',
      new RangeError('Oops'),
      1,
      { action: 'backoff', level: 'error', panic: true, failure: true },
    ],
    ['a thrown string', 'oops', 1, { action: 'backoff', panic: true }],
  ])('returns the action for %s', (_case, error, attempt, expected) =>
    expect(retryPolicy(error, attempt)).toMatchObject(expected),
  );

  it('returns no condition for a conflict', () => {
    expect(Object.keys(retryPolicy(typed('Conflict'), 1))).not.toContain('condition');
  });
});
