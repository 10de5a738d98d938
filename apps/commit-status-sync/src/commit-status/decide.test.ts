import { describe, expect, it } from '@jest/globals';
import { apiVersionOf, CommitStatus, GitRepository, type CommitStatusPhase } from '@interlock/api';
import { decideSync, requestOf } from './decide.js';

const sha = 'a'.repeat(40);

function commitStatus(
  spec: Partial<CommitStatus['spec']> = {},
  status?: CommitStatus['status'],
): CommitStatus {
  return {
    apiVersion: apiVersionOf(CommitStatus),
    kind: CommitStatus.kind,
    metadata: { name: 'health', namespace: 'team', generation: 1 },
    spec: { repoRef: { name: 'repo' }, sha, name: 'health', phase: 'success', ...spec },
    ...(status && { status }),
  };
}

const repository = (name = 'app'): GitRepository => ({
  apiVersion: apiVersionOf(GitRepository),
  kind: GitRepository.kind,
  metadata: { name: 'repo', namespace: 'team' },
  spec: { scmProviderRef: { kind: 'ScmProvider', name: 'forge' }, github: { owner: 'acme', name } },
});

function digest(status: CommitStatus, of = repository()): string {
  const decision = decideSync(status, of);
  if (decision.type !== 'send') throw new Error(`expected send, got ${decision.type}`);
  return decision.digest;
}

describe('decideSync', () => {
  it('sends what was never sent', () => {
    expect(decideSync(commitStatus(), repository()).type).toBe('send');
  });

  it('sends nothing while the digest is the same', () => {
    const sent = digest(commitStatus());
    expect(decideSync(commitStatus({}, { digest: sent }), repository())).toEqual({ type: 'inSync' });
  });

  it.each<[string, Partial<CommitStatus['spec']>]>([
    ['phase', { phase: 'failure' }],
    ['sha', { sha: 'b'.repeat(40) }],
    ['name', { name: 'other' }],
    ['description', { description: 'new' }],
    ['url', { url: 'https://example.com' }],
  ])('sends again when the %s changed', (_field, change) => {
    const sent = digest(commitStatus());
    expect(decideSync(commitStatus(change, { digest: sent }), repository()).type).toBe('send');
  });

  it('sends again when the GitRepository names another repository', () => {
    const sent = digest(commitStatus());
    expect(decideSync(commitStatus({}, { digest: sent }), repository('moved')).type).toBe('send');
  });

  it('does not mind the order of fields', () => {
    const { github, scmProviderRef } = repository().spec;
    const turned = { ...repository(), spec: { ...(github && { github }), scmProviderRef } };
    expect(digest(commitStatus(), turned)).toBe(digest(commitStatus()));
  });

  it('refuses a SHA that is not full, and names it', () => {
    const decision = decideSync(commitStatus({ sha: 'xyz321' }), repository());
    expect(decision).toMatchObject({ type: 'invalid', reason: 'InvalidSHA' });
    expect('message' in decision && decision.message).toContain('"xyz321"');
  });

  it('waits for the GitRepository', () => {
    expect(decideSync(commitStatus(), undefined)).toMatchObject({ type: 'waiting' });
  });
});

describe('requestOf', () => {
  const status = (of: string): CommitStatus['status'] => ({
    sha: of,
    phase: 'queued' satisfies CommitStatusPhase,
    plugin: { github: { checkRunId: 7 } },
  });

  it('gives the ids that the SCM knows the status by', () => {
    expect(requestOf(commitStatus({}, status(sha)), 'github')).toMatchObject({ previous: { checkRunId: 7 } });
  });

  it('gives no ids of another commit, nor of another SCM', () => {
    expect(requestOf(commitStatus({}, status('b'.repeat(40))), 'github')).not.toHaveProperty('previous');
    expect(requestOf(commitStatus({}, status(sha)), 'gitlab')).not.toHaveProperty('previous');
  });
});
