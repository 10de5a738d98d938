import { describe, expect, it } from '@jest/globals';
import { CommitStatus, TypedError, typeMeta, type ErrorType } from '@interlock/api';
import { Problem } from '@interlock/base';
import { Failure, getCondition } from '@interlock/kube';
import { concludeCommitStatus } from './conclude.js';
import type { SyncDecision } from './decide.js';

const sha = 'a'.repeat(40);
const now = Date.UTC(2026, 10, 23);
const shown = { phase: 'success' } as const;
const send: SyncDecision = { type: 'send', digest: 'd', shown };

const named = (name: string, status?: CommitStatus['status']): CommitStatus => ({
  ...typeMeta(CommitStatus),
  metadata: { name, namespace: 'team', generation: 2 },
  spec: { repoRef: { name: 'repo' }, sha, name: 'health', phase: 'success' },
  ...(status && { status }),
});

function conclude(
  decision: SyncDecision,
  outcome?: Parameters<typeof concludeCommitStatus>[2],
  status?: CommitStatus['status'],
) {
  const commitStatus = named('health', status);
  const observed = {
    commitStatus,
    gitRepository: undefined,
    provider: undefined,
    sharing: [commitStatus, named('other')],
  };
  return concludeCommitStatus(observed, decision, outcome, now);
}

describe('concludeCommitStatus', () => {
  it('writes nothing when the SCM already shows the current status', () => {
    expect(conclude({ type: 'inSync' })).toEqual({});
  });

  it.each([
    ['the SCM shows it', { type: 'inSync' }],
    ['it was sent', send],
  ] as const)('waits for the end of a success when %s', (_case, decision) => {
    const ends = (validUntil: string): CommitStatus => {
      const status = named(validUntil);
      return { ...status, spec: { ...status.spec, validUntil } };
    };
    const requeueAfterMs = (...times: string[]) => {
      const observed = {
        commitStatus: named('health'),
        gitRepository: undefined,
        provider: undefined,
        sharing: times.map(ends),
      };
      return concludeCommitStatus(observed, decision, { plugin: 'github', ids: {} }, now).requeueAfterMs;
    };
    expect(requeueAfterMs('2026-11-23T01:00:00Z', '2026-11-24T00:00:00Z')).toBe(3_600_000);
    /* It ended after the decision. */
    expect(requeueAfterMs('2026-11-23T00:00:00Z', '2026-11-24T00:00:00Z')).toBe(0);
  });

  it('records what was sent, with the ids at the SCM', () => {
    const { status } = conclude(send, { plugin: 'github', ids: { checkRunId: 7 } });
    expect(status).toMatchObject({
      observedGeneration: 2,
      sha,
      phase: 'success',
      digest: 'd',
      plugin: { github: { checkRunId: 7 } },
    });
    expect(getCondition(status?.conditions, 'Ready')).toMatchObject({
      status: 'True',
      message: 'the SCM shows success; CommitStatuses with the same name and commit share it: other',
    });
  });

  it('records a status that another CommitStatus sent in its place, with the ids of that status', () => {
    const by = named('other', { plugin: { github: { checkRunId: 9 } } });
    const { status } = conclude({ type: 'shown', digest: 'd', shown, by });
    expect(status).toMatchObject({ digest: 'd', plugin: { github: { checkRunId: 9 } } });
  });

  it.each([
    [false, 'Stalled'],
    [true, 'Reconciling'],
  ])(
    'shows a problem that is transient (%s) as %s, and keeps what was sent before',
    (transient, condition) => {
      const problem = new Problem('Why', 'because', { transient });
      const { status } = conclude({ type: 'blocked', problem }, undefined, { digest: 'old' });
      expect(status?.digest).toBe('old');
      expect(getCondition(status?.conditions, condition)).toMatchObject({ status: 'True', reason: 'Why' });
    },
  );

  it.each<ErrorType>(['Invalid', 'NotFound', 'Unauthorized', 'Permanent', 'Transient', 'RateLimited'])(
    'shows a failure of type %s, and keeps what was sent before',
    (type) => {
      const failure = new Failure(new TypedError(type, 'no', { reason: 'No' }), true);
      const { status } = conclude(send, failure, { digest: 'old' });
      expect(status?.digest).toBe('old');
      expect(getCondition(status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'No' });
    },
  );

  it('does not show a conflict, because the next reconcile resolves it', () => {
    expect(conclude(send, new Failure(new TypedError('Conflict', 'moved'), true))).toEqual({});
  });

  it('does not show a transient failure', () => {
    expect(conclude(send, new Failure(new TypedError('Transient', 'no'), false))).toEqual({});
  });
});
