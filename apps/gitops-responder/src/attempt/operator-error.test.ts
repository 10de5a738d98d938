import { describe, expect, it } from '@jest/globals';
import { TypedError, type ErrorType } from '@interlock/api';
import { asOperators, OperatorError } from './operator-error.js';

describe('asOperators', () => {
  async function thrownFor(type: ErrorType, reason: string): Promise<unknown> {
    const error = new TypedError(type, 'no', { reason });
    const thrown = await asOperators(() => Promise.reject(error)).catch((one: unknown) => one);
    expect(thrown).toMatchObject({ type, reason, message: 'no' });
    return thrown;
  }

  it.each<[ErrorType, string]>([
    ['Invalid', 'Refused'],
    ['Permanent', 'Archived'],
  ])('treats %s (%s) as an error that the operator has to correct', async (type, reason) => {
    expect(await thrownFor(type, reason)).toBeInstanceOf(OperatorError);
  });

  it.each<[ErrorType, string]>([
    ['Invalid', 'PathConflict'],
    ['Invalid', 'PathInvalid'],
    ['Transient', 'Timeout'],
    ['Unauthorized', 'BadCredentials'],
    ['Conflict', 'AlreadyExists'],
  ])('throws %s (%s) unchanged', async (type, reason) => {
    expect(await thrownFor(type, reason)).not.toBeInstanceOf(OperatorError);
  });

  it('throws untyped errors unchanged, and returns results', async () => {
    const error = new Error('no');
    await expect(asOperators(() => Promise.reject(error))).rejects.toBe(error);
    expect(await asOperators(() => 1)).toBe(1);
  });
});
