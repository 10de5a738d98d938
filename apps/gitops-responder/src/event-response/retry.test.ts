import { TypedError, type ErrorType } from '@interlock/api';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { responseOf } from '@interlock/responding/testing';
import { isClaimed } from './claim.js';
import { OperatorError } from '../attempt/operator-error.js';
import { attemptDelayMs, failureOf, maxAttemptsOf } from './retry.js';

describe('isClaimed', () => {
  const name = 'ugallu-gitops-responder';
  it.each([
    [true, {}],
    [false, { action: { type: 'PodFreeze' } }],
    [false, { responder: { name: 'other' } }],
    [false, { responder: { name: '' } }],
    [false, { responder: {} }],
  ])('returns %j for %j', (claimed, spec) => {
    expect(isClaimed(responseOf(spec as object), name)).toBe(claimed);
  });
});

describe('maxAttemptsOf', () => {
  const retryPolicy = { maxAttempts: 5, backoffStrategy: 'Fixed' as const };
  it.each([
    [0, {}, 3],
    [0, { maxAttempts: 4 }, 4],
    [0, { maxAttempts: 4, retryPolicy }, 5],
    [2, { maxAttempts: 4, retryPolicy }, 2],
  ])('for the flag %d and the spec %j, returns %d', (flag, spec, expected) => {
    expect(maxAttemptsOf(responseOf(spec), flag)).toBe(expected);
  });
});

describe('attemptDelayMs', () => {
  const policy = (
    backoffStrategy: 'Exponential' | 'Fixed' | 'None',
    initialDelay: string,
    maxDelay: string,
  ) => ({
    maxAttempts: 3,
    backoffStrategy,
    initialDelay,
    maxDelay,
  });
  it.each<[Parameters<typeof attemptDelayMs>, number]>([
    [[undefined, 1, 0.5], 5_000],
    [[undefined, 2, 0.5], 10_000],
    [[undefined, 50, 0.5], 150_000],
    [[undefined, 5_000, 0], 0],
    [[policy('Exponential', '1s', '3s'), 3, 0.999], 2_997],
    [[policy('Fixed', '7s', '1m'), 9, 0], 7_000],
    [[policy('Fixed', '7m', '1m'), 1, 0], 60_000],
    [[policy('None', '7s', '1m'), 1, 0.5], 0],
    [[policy('None', '7s', '1m'), 1, 0.5, 120_000], 120_000],
    [[undefined, 1, 0.5, 1_000], 5_000],
    [[undefined, 1, 0.5, 10 ** 12], 86_400_000],
  ])('for the arguments %j, returns %d', (args, expected) => {
    expect(attemptDelayMs(...args)).toBe(expected);
  });

  it('is never longer than maxDelay, unless the server requests a longer delay', () => {
    const strategy = fc.constantFrom('Exponential' as const, 'Fixed' as const, 'None' as const);
    const random = fc.double({ min: 0, max: 0.999_999, noNaN: true });
    fc.assert(
      fc.property(
        strategy,
        fc.nat(600),
        fc.nat(600),
        fc.integer({ min: 1, max: 2000 }),
        random,
        (kind, initial, max, attempts, draw) => {
          const delay = attemptDelayMs(policy(kind, `${initial}s`, `${max}s`), attempts, draw);
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(max * 1000);
        },
      ),
    );
  });
});

describe('failureOf', () => {
  it.each<[ErrorType, string, string]>([
    ['Transient', 'Transient', 'soon'],
    ['RateLimited', 'Transient', 'limited'],
    ['Conflict', 'Conflicting', 'soon'],
    ['Unauthorized', 'Unauthorized', 'waiting'],
    ['Invalid', 'Permanent', 'never'],
    ['NotFound', 'Unauthorized', 'waiting'],
    ['Permanent', 'Permanent', 'never'],
  ])('reports the type %s as %s, with the retry %s', (type, reported, retry) => {
    const error = new TypedError(type, 'x'.repeat(5000), { reason: 'Because', retryAfterMs: 5 });
    expect(failureOf(error)).toEqual({
      error: { type: reported, reason: 'Because', detail: `${'x'.repeat(2047)}…` },
      retry,
      retryAfterMs: 5,
    });
  });

  it('makes an OperatorError wait for the operator, whatever its type', () => {
    const error = new OperatorError('Permanent', 'archived', { reason: 'Archived' });
    expect(failureOf(error)).toEqual({
      error: { type: 'Transient', reason: 'Archived', detail: 'archived' },
      retry: 'waiting',
    });
  });

  it('treats an untyped error as transient', () => {
    expect(failureOf('x')).toEqual({
      error: { type: 'Transient', reason: 'Unexpected', detail: 'x' },
      retry: 'soon',
    });
  });
});
