import { finalizers, type PullRequest, type PullRequestStatus } from '@interlock/api';
import type { PullRequestInfo } from '@interlock/scm';
import { sha } from '../../promotion/testing/builders.js';
import * as objects from '../../testing/objects.js';
import type { KnownRepository, ObservedPullRequest, ScmView } from '../observed.js';
import { specDigest } from '../text.js';

export const [head, otherHead] = [sha('a1'), sha('a2')];
export const at = '2026-01-01T00:00:00Z';
/** Milliseconds since the epoch. */
export const now = Date.parse(at);
export const url = 'https://forge/team/app';

export interface PullRequestState {
  spec?: Partial<PullRequest['spec']> | undefined;
  status?: PullRequestStatus | undefined;
  /** Whether it has the finalizer. */
  guarded?: boolean;
  deleted?: boolean;
}

/** Returns a PullRequest from dev-next into dev that is to be open. */
export function pullRequest(state: PullRequestState = {}): PullRequest {
  const { spec, status, guarded = false, deleted = false } = state;
  return objects.pullRequest({
    metadata: {
      generation: 1,
      finalizers: guarded ? [finalizers.pullRequest] : ['example.com/theirs'],
      ...(deleted && { deletionTimestamp: at }),
    },
    spec: { headSHA: head, ...spec },
    status,
  });
}

/** The status of a PullRequest that is open at the SCM and matches the spec. */
export const open: PullRequestStatus = {
  observedGeneration: 1,
  state: 'open',
  url: 'https://forge/7',
  headSHA: head,
  specDigest: specDigest(pullRequest().spec),
  createdAt: at,
  checkedAt: at,
  plugin: { github: { id: 7 } },
  repository: { url },
};

/** Returns the pull request at the SCM. */
export function info(more: Partial<PullRequestInfo> = {}): PullRequestInfo {
  return {
    id: 7,
    url: 'https://forge/7',
    title: 't',
    body: '',
    state: 'open',
    draft: false,
    head: 'dev-next',
    headSha: head,
    base: 'dev',
    labels: [],
    createdAt: at,
    updatedAt: at,
    mergeability: 'mergeable',
    ...more,
  };
}

/** Returns a PullRequest that was observed with its repository. */
export function observed(
  object: PullRequest,
  view: ScmView = 'unread',
  more: Partial<Pick<ObservedPullRequest, 'asked'> & Pick<KnownRepository, 'isSameProposal'>> = {},
): ObservedPullRequest & { repository: KnownRepository } {
  const { asked = false, isSameProposal = false } = more;
  const key = { namespace: 'team', name: 'app' };
  return {
    pullRequest: object,
    asked,
    repository: { plugin: 'github', url, key, view, isSameProposal },
  };
}
