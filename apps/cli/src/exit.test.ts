import { TypedError } from '@interlock/api';
import { describe, expect, test } from '@jest/globals';
import { exitCodeOf, Failure, usage } from './exit.js';

describe('exitCodeOf', () => {
  test.each<[string, unknown, number]>([
    ['a failure', new Failure('no'), 1],
    ['a failure with a separate code', new Failure('held', 3), 3],
    ['an invalid command line', usage('--x'), 2],
    ['an API server that does not answer', new TypedError('Transient', 'connect ECONNREFUSED'), 4],
    ['an API server that is overloaded', new TypedError('RateLimited', 'too many requests'), 4],
    ['a refusal of the API server', new TypedError('Invalid', 'spec'), 1],
    ['any other error', new Error('no'), 1],
  ])('returns the code of %s', (_, error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });
});
