import { TypedError } from '@interlock/api';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from './wait-for.js';

const pollMs = 1;

describe('waitFor', () => {
  it('repeats a check that has no value yet, or fails transiently', async () => {
    const answers = [
      undefined,
      false,
      () => Promise.reject(new TypedError('Transient', 'no answer within 10000 ms')),
      'ready',
    ] as const;
    let calls = 0;
    const check = async () => {
      const answer = answers[calls++];
      return typeof answer === 'function' ? answer() : answer;
    };
    expect(await waitFor('the server is ready', check, undefined, { pollMs })).toBe('ready');
    expect(calls).toBe(answers.length);
  });

  it('reports the last transient failure after the timeout', async () => {
    const cause = new TypedError('Transient', 'no answer');
    const waiting = waitFor('the server is ready', () => Promise.reject(cause), undefined, {
      pollMs,
      timeoutMs: 0,
    });
    await expect(waiting).rejects.toMatchObject({ message: expect.stringContaining('is ready'), cause });
  });

  it('ends with any other error of the check', async () => {
    const error = new TypedError('Permanent', 'refused');
    await expect(waitFor('it is allowed', () => Promise.reject(error))).rejects.toBe(error);
  });
});
