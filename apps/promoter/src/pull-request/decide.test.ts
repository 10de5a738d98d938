import { describe, expect, it } from '@jest/globals';
import type { PullRequestStatus } from '@interlock/api';
import { Problem } from '@interlock/base';
import { decidePullRequest, type PullRequestDecision } from './decide.js';
import type { ObservedPullRequest } from './observed.js';
import { head, info, now, observed, open, otherHead, pullRequest } from './testing/builders.js';

const merge = { sha: head, method: 'merge' } as const;
const merging = { type: 'merge', id: 7, sha: head } as const;
const refused: PullRequestStatus = {
  ...open,
  merge: {
    sha: head,
    state: 'Refused',
    reason: 'Blocked',
    message: 'not yet',
    since: '2026-01-01T00:00:00Z',
    attempts: 1,
    retryAt: '2026-01-01T00:00:30Z',
  },
};
const gone = new Problem('GitRepositoryNotFound', 'create it', { transient: false });
const down = new Problem('Unreachable', 'the forge is down');
const without = (
  repository: Problem,
  state: Parameters<typeof pullRequest>[0] = {},
): ObservedPullRequest => ({ pullRequest: pullRequest(state), asked: false, repository });

describe('decidePullRequest', () => {
  it.each<[string, ObservedPullRequest, PullRequestDecision]>([
    ['opens a pull request that was never opened', observed(pullRequest()), { type: 'ensure' }],
    [
      'removes a remaining finalizer first',
      without(down, { guarded: true, status: { ...open, state: 'merged' } }),
      { type: 'release' },
    ],
    ['reports that the repository is unknown', without(gone), { type: 'report', problem: gone }],
    [
      'keeps a deleted PullRequest while its repository may become known again',
      without(down, { guarded: true, deleted: true, status: open }),
      { type: 'report', problem: down },
    ],
    [
      'releases a deleted PullRequest when its repository does not exist',
      without(gone, { guarded: true, deleted: true, status: open }),
      { type: 'release' },
    ],
    [
      'does not change a pull request that a user closed',
      observed(pullRequest({ spec: { headSHA: otherHead }, status: open }), info({ state: 'closed' }), {
        isSameProposal: true,
      }),
      { type: 'none' },
    ],
    [
      'opens a pull request for another commit after a user closed the pull request of the previous one',
      observed(pullRequest({ spec: { headSHA: otherHead }, status: open }), info({ state: 'closed' })),
      { type: 'ensure' },
    ],
    [
      'removes the finalizer before it forgets a foreign pull request',
      observed(pullRequest({ guarded: true, status: open }), 'foreign'),
      { type: 'release' },
    ],
    [
      'forgets a foreign pull request',
      observed(pullRequest({ status: open }), 'foreign'),
      { type: 'forget' },
    ],
    ['merges', observed(pullRequest({ spec: { merge }, status: open })), merging],
    [
      'waits for the next attempt of a merge that was refused',
      observed(pullRequest({ spec: { merge }, status: refused })),
      { type: 'wait', ms: 30_000 },
    ],
    [
      'updates the status while it waits, if the spec changed',
      observed(pullRequest({ spec: { merge }, status: { ...refused, observedGeneration: 0 } })),
      { type: 'none' },
    ],
    [
      'updates the status while it waits, if the pull request was read',
      observed(pullRequest({ spec: { merge }, status: refused }), info()),
      { type: 'none' },
    ],
    [
      'merges immediately when a read is requested, because the obstacle may have been removed',
      observed(pullRequest({ spec: { merge }, status: refused }), info(), { asked: true }),
      merging,
    ],
  ])('%s', (_case, observation, decision) => {
    expect(decidePullRequest(observation, now)).toEqual(decision);
  });

  it('merges when the next attempt is due', () => {
    const object = pullRequest({ spec: { merge }, status: refused });
    expect(decidePullRequest(observed(object), now + 30_000)).toEqual(merging);
  });
});
