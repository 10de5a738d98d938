import { describe, expect, it } from '@jest/globals';
import { conditions, type ProposedCommit } from '@interlock/api';
import { setCondition } from '@interlock/kube';
import { proposedCommit } from './testing/objects.js';
import { unmergedChanged } from './watches.js';

const waiting = (reason: string, message = 'because'): ProposedCommit =>
  proposedCommit({
    status: {
      conditions: setCondition([], { type: conditions.promoted, status: 'False', reason, message }, 1, 0),
    },
  });

describe('unmergedChanged', () => {
  it.each([
    ['is refused', waiting('Merging'), waiting('MergeRefused'), true],
    ['is refused for another reason', waiting('MergeRefused', 'a'), waiting('MergeRefused', 'b'), true],
    ['is refused for the same reason', waiting('MergeRefused'), waiting('MergeRefused'), false],
    ['is in a queue', waiting('Merging'), waiting('InMergeQueue'), true],
    ['has no pull request', waiting('OpeningPullRequest'), waiting('PullRequestNotOpened'), true],
    ['has a pull request at last', waiting('PullRequestNotOpened'), waiting('WaitingForPerson'), true],
    ['waits for another check', waiting('Missing'), waiting('InProgress'), false],
  ])('passes a proposed commit whose merge by the SCM changed: it %s', (_case, old, object, passes) => {
    expect(unmergedChanged({ type: 'updated', old, object })).toBe(passes);
  });
});
