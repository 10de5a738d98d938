import { describe, expect, it } from '@jest/globals';
import { PullRequest, typeMeta, type Condition } from '@interlock/api';
import type { ApplyConfiguration } from '@interlock/kube';
import { mergeRefusal } from './refusal.js';
import { at, head, otherHead } from './testing/builders.js';

const wanting = (sha: string): ApplyConfiguration => ({
  ...typeMeta(PullRequest),
  metadata: { namespace: 'team', name: 'app-dev' },
  spec: { state: 'open', merge: { sha, method: 'merge' } },
});

const condition = (type: string): Condition => ({
  type,
  status: 'False',
  reason: `Not${type}`,
  message: 'why',
  lastTransitionTime: at,
});

describe('a merge', () => {
  it('is not refused when the owner requires it', () => {
    const decision = { status: { conditions: [condition('Promoted')] }, pullRequest: wanting(head) };
    expect(mergeRefusal(decision, head, 'Promoted')).toBeUndefined();
  });

  it.each([
    ['of another commit', wanting(otherHead), ['Ready', 'Promoted'], 'NotPromoted'],
    ['that the owner does not require', undefined, ['Ready', 'Promoted'], 'NotPromoted'],
    ['whose owner is not ready', undefined, ['Ready'], 'NotReady'],
    ['whose owner reports nothing', undefined, [], 'NotReady'],
  ])('%s is refused', (_case, pullRequest, types, reason) => {
    const decision = { status: { conditions: types.map(condition) }, pullRequest };
    expect(mergeRefusal(decision, head, 'Promoted')).toMatchObject({ reason });
  });
});
