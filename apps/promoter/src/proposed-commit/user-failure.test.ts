import { expect, it } from '@jest/globals';
import { conditions, type ProposedCommitStatus } from '@interlock/api';
import { isCausedByUser } from './user-failure.js';

const status = (reason: string): ProposedCommitStatus => ({
  conditions: [
    { type: conditions.promoted, status: 'False', lastTransitionTime: '', reason, message: reason },
  ],
});

it.each([
  ['rejected the commit', undefined, 'Rejected', true],
  ['rejected the commit during its merge', 'Merging', 'Rejected', true],
  ['reset the branch', 'UpToDate', 'SetBack', true],
  ['reset the branch after a rejection', 'Rejected', 'SetBack', true],
  ['did something that is already known', 'Rejected', 'Rejected', false],
  ['opened the pull request again', 'Rejected', 'Merging', false],
  ['has yet to merge', 'Merging', 'WaitingForPerson', false],
])(
  'attributes the failure to a user who %s when the reason changes from %s to %s: %s',
  (_, before, after, expected) => {
    const proposedCommit = before === undefined ? {} : { status: status(before) };
    expect(isCausedByUser({ status: status(after) }, { proposedCommit })).toBe(expected);
  },
);
