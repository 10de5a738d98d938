import { describe, expect, it } from '@jest/globals';
import { TypedError, type ErrorType } from '@interlock/api';
import { asOperators, OperatorError } from './operator-error.js';

describe('asOperators', () => {
  it.each<[ErrorType, string, boolean]>([
    ['Invalid', 'Refused', true],
    ['Permanent', 'Archived', true],
    ['Invalid', 'PathConflict', false],
    ['Invalid', 'PathInvalid', false],
    ['Transient', 'Timeout', false],
    ['Unauthorized', 'BadCredentials', false],
    ['Conflict', 'AlreadyExists', false],
  ])('takes %s (%s) for what the operator has to correct: %s', async (type, reason, isOperators) => {
    const error = new TypedError(type, 'no', { reason });
    const thrown = await asOperators(() => Promise.reject(error)).catch((one: unknown) => one);
    expect(thrown).toMatchObject({ type, reason, message: 'no' });
    expect(thrown instanceof OperatorError).toBe(isOperators);
  });

  it('passes on what is not typed, and results', async () => {
    const error = new Error('no');
    await expect(asOperators(() => Promise.reject(error))).rejects.toBe(error);
    expect(await asOperators(() => 1)).toBe(1);
  });
});
