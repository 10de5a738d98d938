import { describe, expect, it } from '@jest/globals';
import { CommitStatus } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { ensureNamespace } from '@interlock/stack';
import { proposeUnapproved } from './harness/proposals.js';
import { conditionOf, type Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

describe('a CommitStatus that the proposed commit requires', () => {
  interface Case {
    name: string;
    report: (team: Team, sha: string) => Promise<void>;
    check: { state: string; reason: string; message: unknown };
    fix?: (team: Team) => Promise<void>;
  }
  const cases: Case[] = [
    {
      name: 'missing',
      report: () => Promise.resolve(),
      check: { state: 'pending', reason: 'Missing', message: expect.stringContaining('key lint') },
    },
    {
      name: 'queued',
      report: (team, sha) => team.report('lint', sha, 'queued'),
      check: { state: 'pending', reason: 'Queued', message: expect.any(String) },
    },
    {
      name: 'failed',
      report: (team, sha) => team.report('lint', sha, 'failure', { description: 'tabs' }),
      check: { state: 'failure', reason: 'Failure', message: 'tabs' },
    },
    {
      name: 'cancelled',
      report: (team, sha) => team.report('lint', sha, 'cancelled'),
      check: { state: 'failure', reason: 'Cancelled', message: expect.any(String) },
    },
    {
      name: 'reported twice',
      report: async (team, sha) => {
        await team.report('lint', sha, 'success', { name: 'one' });
        await team.report('lint', sha, 'success', { name: 'two' });
      },
      check: { state: 'pending', reason: 'Conflict', message: expect.stringContaining('one and two') },
      fix: async (team) => {
        const { namespace } = team;
        await fixture.platform.client.delete(CommitStatus, { namespace, name: 'one' });
        await fixture.platform.client.delete(CommitStatus, { namespace, name: 'two' });
      },
    },
    {
      name: 'no longer valid',
      report: (team, sha) => team.report('lint', sha, 'success', { validUntil: '2026-01-01T00:00:00Z' }),
      check: { state: 'pending', reason: 'InProgress', message: expect.stringContaining('2026-01-01') },
    },
    {
      name: 'reported for another commit',
      report: async (team) => team.report('lint', await team.tip('dev'), 'success'),
      check: { state: 'pending', reason: 'Missing', message: expect.any(String) },
    },
    {
      name: 'reported in another namespace',
      report: async (team, sha) => {
        await ensureNamespace(fixture.platform.client, 'stranger');
        await team.report('lint', sha, 'success', { namespace: 'stranger' });
      },
      check: { state: 'pending', reason: 'Missing', message: expect.any(String) },
    },
  ];

  it.each(cases)(
    'keeps the pull request open while it is $name, and allows the merge when it is successful',
    async (one) => {
      const team = await fixture.team({ environments: ['dev'] });
      await team.applyStrategy({ proposedCommitStatuses: [{ key: 'lint' }] });
      const { drySHA, hydrated } = await team.propose();
      const sha = hydrated['dev'] ?? '';
      await one.report(team, sha);
      await team.refreshAndRest();
      await eventually(async () => {
        expect(await team.check('dev', 'lint')).toMatchObject(one.check);
        expect((await team.openPull('dev')).headSHA).toBe(sha);
      });
      await team.refreshAndRest();
      const promoted = conditionOf(await team.proposedCommit('dev'), 'Promoted');
      expect(promoted).toMatchObject({ status: 'False', reason: one.check.reason });
      expect(promoted.message).toContain('lint: ');
      expect(team.mergeRequests()).toEqual([]);
      expect((await team.openPull('dev')).headSHA).toBe(sha);

      await one.fix?.(team);
      await team.report('lint', sha, 'success');
      await team.runs('dev', drySHA);
    },
  );

  it('is pending as soon as its success has ended, although nothing else changes', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    await team.applyStrategy({ proposedCommitStatuses: [{ key: 'lint' }, { key: 'approval' }] });
    const { hydrated } = await team.propose();
    const validUntil = new Date(fixture.clock.now() + 3_600_000).toISOString();
    await team.report('lint', hydrated['dev'] ?? '', 'success', { validUntil });
    await team.refreshAndRest();
    expect(await team.check('dev', 'lint')).toMatchObject({ state: 'success' });
    fixture.clock.forward(3_600_000);
    await eventually(async () =>
      expect(await team.check('dev', 'lint')).toMatchObject({ state: 'pending', reason: 'InProgress' }),
    );
  });

  it('counts only for the environment that requires it', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'] });
    const { drySHA, hydrated } = await proposeUnapproved(team);
    await eventually(async () => {
      expect(await team.check('test', 'approval')).toMatchObject({ reason: 'Missing' });
      expect((await team.promotionStatus('test')).spec.phase).toBe('success');
    });
    await fixture.rest();
    expect(team.mergeRequests()).toHaveLength(1);
    await team.report('approval', hydrated['test'] ?? '', 'success');
    await team.runs('test', drySHA);
  });
});

describe('a CommitStatus that the preceding environment requires', () => {
  it.each([
    {
      phase: undefined,
      published: 'in_progress',
      check: { state: 'pending', reason: 'WaitingForActiveStatus' },
    },
    {
      phase: 'in_progress',
      published: 'in_progress',
      check: { state: 'pending', reason: 'WaitingForActiveStatus' },
    },
    { phase: 'failure', published: 'failure', check: { state: 'failure', reason: 'ActiveStatusFailed' } },
  ] as const)(
    'holds the next environment while it is $phase, and is reported by the proposed commit',
    async (one) => {
      const { phase, published, check } = one;
      const team = await fixture.team({ environments: ['dev', 'test'] });
      await team.applyStrategy({
        environments: [{ branch: 'dev', activeCommitStatuses: [{ key: 'load-test' }] }, 'test'],
      });
      const { drySHA, hydrated } = await team.propose();
      await team.refresh();
      const active = await team.runs('dev', drySHA);
      if (phase !== undefined) await team.report('load-test', active, phase);
      await eventually(async () => {
        expect(await team.check('test', 'Healthy')).toMatchObject(check);
        expect((await team.promotionStatus('test')).spec).toMatchObject({
          sha: hydrated['test'],
          phase: published,
          description: expect.stringContaining('load-test of dev is '),
        });
      });
      await team.refreshAndRest();
      expect(await team.openPull('test')).toBeDefined();
      expect(team.mergeRequests()).toHaveLength(1);

      await team.report('load-test', active, 'success');
      await team.runs('test', drySHA);
      expect((await team.promotionStatus('test')).spec).toMatchObject({
        sha: hydrated['test'],
        phase: 'success',
      });
    },
  );

  it('is not necessary for the rule Order to apply', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'] });
    await team.applyStrategy();
    const drySHA = await team.commitDry();
    await team.hydrate('test', drySHA);
    await team.refreshAndRest();
    await eventually(async () => {
      expect(await team.check('test', 'Order')).toMatchObject({
        state: 'pending',
        reason: 'WaitingForEnvironment',
      });
      expect(await team.openPull('test')).toBeDefined();
    });
    await team.refreshAndRest();
    expect(team.mergeRequests()).toEqual([]);

    await team.hydrate('dev', drySHA);
    await team.refresh();
    await team.runs('test', drySHA);
    expect((await team.environment('dev')).active?.drySHA).toBe(drySHA);
  });
});
