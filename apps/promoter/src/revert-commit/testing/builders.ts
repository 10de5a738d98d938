import {
  RevertCommit,
  typeMeta,
  type PullRequest,
  type PullRequestStatus,
  type RevertCommitStatus,
} from '@interlock/api';
import { commit, d1, d2, sha } from '../../promotion/testing/builders.js';
import * as objects from '../../testing/objects.js';
import type { ObservedRevert, RevertFacts } from '../observed.js';

export const now = Date.parse('2026-01-01T00:00:00Z');

/**
 * The environment `test` ran d1 (commit a0, tree e1) and runs d2 (commit a1, tree e2), which is to be reverted to d1 by
 * the commit c1.
 */
export const [before, unwanted, revertSHA] = [sha('a0'), sha('a1'), sha('c1')];
export const target = { drySHA: d1, hydratedSHA: before, treeSHA: sha('e1') };
export const branch = 'interlock/revert/test-a100000';

/** The status once the target is known. */
export const known: RevertCommitStatus = {
  target,
  revertOf: unwanted,
  rejectedDrySHA: d2,
  branch,
  state: 'Pending',
  inForce: true,
};

export function revertCommit(
  spec: Partial<RevertCommit['spec']> = {},
  status: RevertCommitStatus | undefined = known,
): RevertCommit {
  return {
    ...typeMeta(RevertCommit),
    metadata: {
      name: 'back',
      namespace: 'team',
      uid: 'u1',
      generation: 1,
      creationTimestamp: '2025-12-31T23:59:00Z',
    },
    spec: { repoRef: { name: 'repo' }, activeBranch: 'test', mode: 'PullRequest', ...spec },
    ...(status && { status }),
  };
}

export function facts(more: Partial<RevertFacts> = {}): RevertFacts {
  return {
    active: commit('a1', d2, 'e2'),
    activeIs: 'rejected',
    revertSHA,
    contained: false,
    drift: [],
    ...more,
  };
}

export const open: PullRequestStatus = { state: 'open', headSHA: revertSHA, url: 'https://forge/7' };

export function pullRequest(status?: PullRequestStatus): PullRequest {
  return objects.pullRequest({
    metadata: { name: 'back-revert' },
    spec: { sourceBranch: branch, targetBranch: 'test', headSHA: revertSHA },
    status,
  });
}

export function observed(more: Partial<ObservedRevert> = {}): ObservedRevert {
  return {
    revertCommit: revertCommit(),
    facts: facts(),
    gates: { findings: [], skippableChecks: [] },
    pullRequest: pullRequest(open),
    ...more,
  };
}
