import { describe, expect, it } from '@jest/globals';
import {
  ClusterScmProvider,
  CommitStatus,
  GitRepository,
  ScmProvider,
  typeMeta,
  type AnyScmProvider,
  type CommitStatusPhase,
} from '@interlock/api';
import { canonicalDigest } from '@interlock/base';
import { buildObject } from '@interlock/kube/testing';
import { inOrder } from './combine.js';
import { decideSync, requestOf } from './decide.js';

const sha = 'a'.repeat(40);

function commitStatus(
  spec: Partial<CommitStatus['spec']> = {},
  status?: CommitStatus['status'],
): CommitStatus {
  return buildObject(
    CommitStatus,
    {
      metadata: { name: 'health', namespace: 'team', generation: 1 },
      spec: { repoRef: { name: 'repo' }, sha, name: 'health', phase: 'success' },
    },
    { spec, status },
  );
}

const repository = (name = 'app'): GitRepository => ({
  ...typeMeta(GitRepository),
  metadata: { name: 'repo', namespace: 'team' },
  spec: { scmProviderRef: { kind: 'ScmProvider', name: 'forge' }, github: { owner: 'acme', name } },
});

const forge: ScmProvider = {
  ...typeMeta(ScmProvider),
  metadata: { name: 'forge', namespace: 'team' },
  spec: { secretRef: { name: 'app' }, github: { domain: 'github.example.com', appID: 1 } },
};

function digest(commitStatus: CommitStatus, of = repository(), provider: AnyScmProvider = forge): string {
  const decision = decideSync({ commitStatus, gitRepository: of, provider, sharing: [commitStatus] });
  if (decision.type !== 'send') throw new Error(`expected send, got ${decision.type}`);
  return decision.digest;
}

/** Returns the status after `digest` was sent. */
function synced(digest: string, observedGeneration = 1, ready: 'True' | 'False' = 'True') {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const condition = { type: 'Ready', status: ready, reason: 'Any', message: '', lastTransitionTime };
  return { digest, observedGeneration, conditions: [{ ...condition, observedGeneration }] };
}

/** Decides for a CommitStatus that shares its name and its commit with `others`. */
function decide(status: CommitStatus, of: GitRepository | undefined, others: CommitStatus[] = []) {
  const sharing = inOrder([status, ...others]);
  return decideSync({ commitStatus: status, gitRepository: of, provider: forge, sharing });
}

describe('decideSync', () => {
  it('sends a status that was never sent', () => {
    expect(decide(commitStatus(), repository()).type).toBe('send');
  });

  it('sends nothing while the digest is the same', () => {
    const sent = digest(commitStatus());
    expect(decide(commitStatus({}, synced(sent)), repository())).toEqual({ type: 'inSync' });
  });

  /* What was sent for the generation in between is not recorded if the process ended before it wrote the status. */
  it('sends again when the spec has returned to what was sent before', () => {
    const returned = commitStatus({}, synced(digest(commitStatus()), 0));
    expect(decide(returned, repository()).type).toBe('send');
  });

  it('sends again when a problem is over that was reported since', () => {
    const recovered = commitStatus({}, synced(digest(commitStatus()), 1, 'False'));
    expect(decide(recovered, repository()).type).toBe('send');
  });

  it.each<[string, Partial<CommitStatus['spec']>]>([
    ['phase', { phase: 'failure' }],
    ['sha', { sha: 'b'.repeat(40) }],
    ['name', { name: 'other' }],
    ['description', { description: 'new' }],
    ['url', { url: 'https://example.com' }],
  ])('sends again when the %s changed', (_field, change) => {
    const sent = digest(commitStatus());
    expect(decide(commitStatus(change, synced(sent)), repository()).type).toBe('send');
  });

  it('sends again when the GitRepository names another repository', () => {
    const sent = digest(commitStatus());
    expect(decide(commitStatus({}, synced(sent)), repository('moved')).type).toBe('send');
  });

  it.each<[string, AnyScmProvider['spec']]>([
    ['server', { secretRef: { name: 'app' }, github: { domain: 'new.example.com', appID: 1 } }],
    ['App', { secretRef: { name: 'app' }, github: { domain: 'github.example.com', appID: 2 } }],
    ['SCM', { secretRef: { name: 'app' }, gitlab: { domain: 'github.example.com' } }],
  ])('sends again when the provider names another %s', (_what, spec) => {
    const provider = { ...forge, spec } as AnyScmProvider;
    expect(digest(commitStatus(), repository(), provider)).not.toBe(digest(commitStatus()));
  });

  it('sends nothing while the provider does not exist, and when it is created again', () => {
    const sent = commitStatus({}, synced(digest(commitStatus())));
    const observed = { commitStatus: sent, gitRepository: repository(), sharing: [sent] };
    expect(decideSync({ ...observed, provider: undefined })).toEqual({ type: 'inSync' });
    expect(decideSync({ ...observed, provider: forge })).toEqual({ type: 'inSync' });
  });

  it('sends nothing while the GitRepository does not exist, and when it is created again', () => {
    const sent = commitStatus({}, synced(digest(commitStatus())));
    expect(decide(sent, undefined)).toEqual({ type: 'inSync' });
    expect(decide(sent, repository())).toEqual({ type: 'inSync' });
  });

  it('reports what changed while the GitRepository does not exist, and sends it afterwards', () => {
    const changed = commitStatus({ phase: 'failure' }, synced(digest(commitStatus()), 0));
    expect(decide(changed, undefined)).toMatchObject({ problem: { reason: 'GitRepositoryNotFound' } });
    expect(decide(changed, repository()).type).toBe('send');
  });

  it('sends what changed while the provider does not exist, which reports the problem', () => {
    const changed = commitStatus({ phase: 'failure' }, synced(digest(commitStatus())));
    const observed = { commitStatus: changed, gitRepository: repository(), sharing: [changed] };
    expect(decideSync({ ...observed, provider: undefined }).type).toBe('send');
  });

  it('records the account of a status that an earlier release has sent, without a call', () => {
    const { spec } = commitStatus();
    const parts = [
      repository().spec,
      spec.sha,
      spec.name,
      spec.phase,
      spec.description ?? '',
      spec.url ?? '',
    ];
    const sent = commitStatus({}, synced(canonicalDigest(parts).slice(0, 32)));
    const decision = decide(sent, repository());
    expect(decision).toMatchObject({ type: 'shown', digest: digest(commitStatus()), by: sent });
  });

  it('sends nothing when the credential of the provider has another place', () => {
    const provider = { ...forge, spec: { ...forge.spec, secretRef: { name: 'other' } } };
    expect(digest(commitStatus(), repository(), provider)).toBe(digest(commitStatus()));
  });

  it('sends nothing when a ClusterScmProvider allows another namespace', () => {
    const allowing = (...allowedNamespaces: string[]): ClusterScmProvider => ({
      ...typeMeta(ClusterScmProvider),
      metadata: { name: 'forge' },
      spec: { github: { appID: 1 }, secretRef: { name: 'app', namespace: 'system' }, allowedNamespaces },
    });
    const [before, after] = [allowing('team'), allowing('team', 'new')];
    const digestWith = (provider: ClusterScmProvider) => digest(commitStatus(), repository(), provider);
    expect(digestWith(after)).toBe(digestWith(before));
  });

  it('ignores the order of fields', () => {
    const { github, scmProviderRef } = repository().spec;
    const turned = { ...repository(), spec: { ...(github && { github }), scmProviderRef } };
    expect(digest(commitStatus(), turned)).toBe(digest(commitStatus()));
  });

  it('refuses a SHA that is not full, and names it', () => {
    const decision = decide(commitStatus({ sha: 'xyz321' }), repository());
    const message = expect.stringContaining('"xyz321"');
    expect(decision).toMatchObject({
      type: 'blocked',
      problem: { reason: 'InvalidSHA', transient: false, message },
    });
  });

  it('waits for the GitRepository', () => {
    expect(decide(commitStatus(), undefined)).toMatchObject({
      type: 'blocked',
      problem: { transient: true },
    });
  });
});

describe('several CommitStatuses with one name on one commit', () => {
  const named = (name: string, spec: Partial<CommitStatus['spec']>, status?: CommitStatus['status']) => ({
    ...commitStatus(spec, status),
    metadata: { name, namespace: 'team', generation: 1 },
  });
  const dev = named('dev', { phase: 'success', description: 'dev: goes ahead' });
  const prod = named('prod', { phase: 'in_progress', description: 'prod: waits', url: 'https://a.example' });

  it('are shown as one status, which is successful when all are successful', () => {
    expect(decide(dev, repository(), [prod])).toMatchObject({
      type: 'send',
      shown: { phase: 'in_progress', description: 'prod: waits', url: 'https://a.example' },
    });
    const ready = named('prod', { phase: 'success', description: 'prod: goes ahead' });
    expect(decide(dev, repository(), [ready])).toMatchObject({
      shown: { phase: 'success', description: 'dev: goes ahead; prod: goes ahead' },
    });
  });

  it('are sent by the first of them; the others wait for it', () => {
    const waiting = decide(prod, repository(), [dev]);
    expect(waiting).toMatchObject({ type: 'blocked', problem: { reason: 'NameShared', transient: true } });
    const decision = decide(dev, repository(), [prod]);
    if (decision.type !== 'send') throw new Error(decision.type);
    const sent = named('dev', dev.spec, synced(decision.digest));
    expect(decide(prod, repository(), [sent])).toMatchObject({ type: 'shown', by: sent });
    const known = named('prod', prod.spec, synced(decision.digest));
    expect(decide(known, repository(), [sent])).toEqual({ type: 'inSync' });
  });

  /* What was sent for the generation in between is not recorded if the call failed after its effect, or the process ended. */
  it('are sent again when another one has returned to what was sent before', () => {
    const decision = decide(dev, repository(), [prod]);
    if (decision.type !== 'send') throw new Error(decision.type);
    const sent = named('dev', dev.spec, synced(decision.digest));
    expect(decide(sent, repository(), [prod])).toEqual({ type: 'inSync' });
    const returned = { ...prod, metadata: { ...prod.metadata, generation: 3 } };
    expect(decide(sent, repository(), [returned]).type).toBe('send');
  });

  it('are not sent again when one that never changed is created', () => {
    const decision = decide(dev, repository(), [prod]);
    if (decision.type !== 'send') throw new Error(decision.type);
    const sent = named('dev', dev.spec, synced(decision.digest));
    expect(decide(sent, repository(), [prod, named('qa', prod.spec)])).toEqual({ type: 'inSync' });
  });
});

describe('requestOf', () => {
  const shown = { phase: 'success' } as const;
  const status = (of: string): CommitStatus['status'] => ({
    sha: of,
    phase: 'queued' satisfies CommitStatusPhase,
    plugin: { github: { checkRunId: 7 } },
  });

  it('returns a request with the ids of the status at the SCM', () => {
    expect(requestOf(commitStatus({}, status(sha)), shown, 'github')).toMatchObject({
      previous: { checkRunId: 7 },
    });
  });

  it('omits the ids of a status of another commit or at another SCM', () => {
    expect(requestOf(commitStatus({}, status('b'.repeat(40))), shown, 'github').previous).toBeUndefined();
    expect(requestOf(commitStatus({}, status(sha)), shown, 'gitlab').previous).toBeUndefined();
  });
});
