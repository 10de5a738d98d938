import { describe, expect, it } from '@jest/globals';
import { apiVersionOf, PullRequest } from '@interlock/api';
import { getCondition } from '@interlock/kube';
import type { PullRequestInfo } from '@interlock/scm';
import { pullRequestStatus } from './status.js';
import { isDeferred, specDigest } from './text.js';

const now = Date.parse('2026-01-01T12:00:00Z');
const pullRequest: PullRequest = {
  apiVersion: apiVersionOf(PullRequest),
  kind: PullRequest.kind,
  metadata: { namespace: 'team', name: 'app-dev', generation: 2 },
  spec: { title: 'Sell tea', sourceBranch: 'dev-next', targetBranch: 'dev', state: 'open' },
};
const info: PullRequestInfo = {
  id: 7,
  url: 'https://forge/7',
  title: 'Sell tea',
  body: '',
  state: 'open',
  draft: false,
  head: 'dev-next',
  headSha: 'a'.repeat(40),
  base: 'dev',
  labels: [],
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  mergeability: 'mergeable',
};
const source = { plugin: 'github', url: 'https://forge/team/app' };
const problem = { reason: 'ContentLimit', message: 'deferred: the budget is spent' };

describe('the status of a pull request whose text has to wait', () => {
  const status = pullRequestStatus(pullRequest, source, { info, deferred: true, problem }, now);

  it('says so in the condition Ready, and knows the pull request', () => {
    expect(getCondition(status.conditions, 'Ready')).toMatchObject({ status: 'False', ...problem });
    expect(status).toMatchObject({ state: 'open', plugin: { github: { id: 7 } } });
    expect(isDeferred(status.specDigest)).toBe(true);
  });

  it('keeps saying so until the text is sent', () => {
    const later = pullRequestStatus({ ...pullRequest, status }, source, { info }, now + 60_000);
    expect(getCondition(later.conditions, 'Ready')).toMatchObject({ status: 'False', ...problem });
    const sent = pullRequestStatus({ ...pullRequest, status: later }, source, { info, sent: true }, now);
    expect(getCondition(sent.conditions, 'Ready')).toMatchObject({ status: 'True' });
    expect(sent.specDigest).toBe(specDigest(pullRequest.spec));
  });
});
