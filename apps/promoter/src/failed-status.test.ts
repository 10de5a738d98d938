import { expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { Failure, markReady } from '@interlock/kube';
import { failedStatus } from './failed-status.js';
import { proposedCommit } from './testing/objects.js';

const refused = new Failure(new TypedError('Permanent', 'protected', { reason: 'Rejected' }), true);

it('does not change while an act fails again and again, although each decision assumes that it succeeds', () => {
  const decide = (object = proposedCommit(), now = 0) => {
    const because = { reason: 'Reconciled', message: 'the branches are known' };
    return { ...object.status, conditions: markReady(object.status?.conditions, because, 3, now) };
  };
  const first = failedStatus(proposedCommit(), decide(), refused, 0);
  const later = proposedCommit({ status: first ?? {} });
  expect(failedStatus(later, decide(later, 60_000), refused, 60_000)).toEqual(first);
});
