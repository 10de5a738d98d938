import { expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { markFailed } from './failure-condition.js';

it.each([
  [
    'Stalled',
    new TypedError('Invalid', 'No such branch.', { reason: 'BranchMissing' }),
    'BranchMissing',
    'No such branch.',
  ],
  ['Reconciling', new TypedError('Transient', 'The forge is away.'), 'Transient', 'The forge is away.'],
  [
    'Reconciling',
    new Error('token=secret'),
    'InternalError',
    'The controller encountered an unexpected error; see its log for details.',
  ],
])('sets %s for the error %p', (type, error, reason, message) => {
  const said = { reason, message, observedGeneration: 3, lastTransitionTime: '2026-01-01T00:00:00Z' };
  expect(markFailed([], error, 3, Date.UTC(2026, 0, 1))).toEqual([
    { type: 'Ready', status: 'False', ...said },
    { type, status: 'True', ...said },
  ]);
});

it('changes no condition for a conflict', () => {
  expect(markFailed(undefined, new TypedError('Conflict', 'Changed.'), 1, 0)).toEqual([]);
});
