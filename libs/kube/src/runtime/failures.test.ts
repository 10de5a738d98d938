import { expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { ApiError } from '../client/api-error.js';
import { Failures } from './failures.js';

const key = 'team-a/x';
const line = { method: 'PATCH', path: '/apis/a/v1/bs/c' };
const unreachable = new TypedError('Transient', 'connect ECONNREFUSED');
const forbidden = new ApiError('Unauthorized', 'No.', { ...line, code: 403, reason: 'Forbidden' });

it('repeats soon what an API server refuses after it was unreachable for long', () => {
  const failures = new Failures();
  const note = (error: Error) => failures.note(key, error, 1, 0);
  for (let attempt = 1; attempt <= 12; attempt++) expect(note(unreachable).attempt).toBe(attempt);
  expect(note(forbidden)).toMatchObject({ attempt: 13, policy: { delayMs: 1_000, holdOffMs: 1_000 } });
  expect(note(forbidden)).toMatchObject({ attempt: 14, policy: { delayMs: 2_000, holdOffMs: 2_000 } });
});
