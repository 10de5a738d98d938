import { describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { proposeUnchecked } from './harness/proposals.js';
import { conditionOf } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const resyncMs = 5 * 60_000;
const fixture = useFixture();

describe('a pull request that a user merges', () => {
  it('is awaited when autoMerge is false, and then counts like one that the promoter merges', async () => {
    const team = await fixture.team({ webhooks: true });
    await team.applyStrategy({ environments: ['dev', { branch: 'test', autoMerge: false }, 'prod'] });
    const { drySHA, hydrated } = await team.propose();
    await team.refresh();
    await team.runs('dev', drySHA);
    const waiting = await team.waitsFor('test', 'WaitingForPerson');
    const { number } = await team.openPull('test');
    expect(waiting).toMatchObject({ status: 'False', message: expect.stringContaining(`/pull/${number}`) });
    await team.refreshAndRest();
    expect(await team.openPull('test')).toMatchObject({ number });
    expect(team.mergeRequests()).toHaveLength(1);

    await fixture.user.merge(team.repository.fullName, number);
    await team.runs('prod', drySHA);
    await eventually(async () => {
      expect((await team.pullRequest('test')).status).toMatchObject({ state: 'merged', mergedBy: 'ada' });
    });
    const { history } = await team.environment('test');
    expect(history?.[0]).toMatchObject({
      sha: await team.tip('test'),
      drySHA,
      hydratedSHA: hydrated['test'],
      author: 'ada',
    });
  });

  it('is an override of checks that do not pass', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'], webhooks: true });
    await team.applyStrategy({
      environments: [{ branch: 'dev', proposedCommitStatuses: [{ key: 'lint' }] }, 'test'],
    });
    const { drySHA } = await team.propose();
    await team.refresh();
    await team.waitsFor('dev', 'Missing');
    const { number } = await eventually(() => team.openPull('dev'));
    await fixture.user.merge(team.repository.fullName, number);
    await team.runs('test', drySHA);
    expect((await team.environment('dev')).active?.drySHA).toBe(drySHA);
    expect(await team.pulls('dev')).toMatchObject([{ number }]);
  });

  it('is observed after a while, even without a webhook', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'] });
    await team.applyStrategy({ environments: [{ branch: 'dev', autoMerge: false }, 'test'] });
    const { drySHA } = await team.propose();
    await team.refresh();
    await team.waitsFor('dev', 'WaitingForPerson');
    const { number } = await team.openPull('dev');
    await fixture.user.merge(team.repository.fullName, number);
    fixture.clock.forward(resyncMs);
    await team.runs('test', drySHA);
  });
});

describe('a pull request that a user closes', () => {
  it.each([{ webhooks: true }, { webhooks: false }])(
    'rejects its commit, and no other commit (webhooks: $webhooks)',
    async ({ webhooks }) => {
      const team = await fixture.team({ environments: ['dev'], webhooks });
      const { number, sha } = await proposeUnchecked(team);
      await fixture.user.close(team.repository.fullName, number);
      if (!webhooks) fixture.clock.forward(resyncMs);
      await team.waitsFor('dev', 'Rejected');
      expect(conditionOf(await team.proposedCommit('dev'), 'Rejected')).toMatchObject({
        status: 'True',
        message: expect.stringContaining(`/pull/${number}`),
      });

      await team.report('lint', sha, 'success');
      await team.refreshAndRest();
      await fixture.restart();
      await team.refreshAndRest();
      expect(await team.pulls('dev')).toMatchObject([{ number, state: 'closed', merged: false }]);
      await team.waitsFor('dev', 'Rejected');

      const { drySHA, hydrated } = await team.propose();
      await team.refresh();
      await eventually(async () => {
        const again = await team.openPull('dev');
        expect(again).toMatchObject({ headSHA: hydrated['dev'] });
        expect(again.number).toBeGreaterThan(number);
      });
      await team.report('lint', hydrated['dev'] ?? '', 'success');
      await team.runs('dev', drySHA);
      const types = (await team.proposedCommit('dev')).status?.conditions?.map(({ type }) => type);
      expect(types).not.toContain('Rejected');
    },
  );
});

describe('a rejected commit', () => {
  const hotfix = (name: string) => ({ [`${name}.yaml`]: 'a: b\n' });

  it.each([
    { what: 'as the hydrator made it', alignedBefore: false },
    { what: 'brought on top of a hotfix', alignedBefore: true },
  ])('$what stays rejected, whatever changes on the environment branch', async ({ alignedBefore }) => {
    const team = await fixture.team({ environments: ['dev', 'test'], webhooks: true });
    await team.applyStrategy({ proposedCommitStatuses: [{ key: 'lint' }] });
    const proposed = await team.propose();
    const first = proposed.hydrated['dev'] ?? '';
    if (alignedBefore) await team.amend('dev', hotfix('first'));
    await team.refresh();
    await team.waitsFor('dev', 'Missing');
    const { number, headSHA } = await eventually(async () => {
      const pull = await team.openPull('dev');
      expect(pull.headSHA === first).toBe(!alignedBefore);
      return pull;
    });
    await fixture.user.close(team.repository.fullName, number);
    await team.waitsFor('dev', 'Rejected');

    const fix = await team.amend('dev', hotfix('second'));
    for (const sha of [first, headSHA]) await team.report('lint', sha, 'success');
    await team.refreshAndRest();
    await fixture.restart();
    await team.refreshAndRest();
    await team.waitsFor('dev', 'Rejected');
    expect(await team.pulls('dev')).toMatchObject([{ number, state: 'closed', merged: false }]);
    expect(await team.tip('dev-next')).toBe(headSHA);
    expect(await team.tip('dev')).toBe(fix);

    const { drySHA } = await team.propose();
    await team.refresh();
    const next = await eventually(() => team.openPull('dev'));
    await team.report('lint', next.headSHA, 'success');
    await team.runs('dev', drySHA);
  });

  it('stays rejected when the promoter observes the rejection only after another commit', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    const { number } = await proposeUnchecked(team);
    await fixture.user.close(team.repository.fullName, number);
    await team.amend('dev', hotfix('first'));
    await team.refreshAndRest();
    fixture.clock.forward(resyncMs);
    await team.refreshAndRest();
    await team.waitsFor('dev', 'Rejected');
    await team.report('lint', await team.tip('dev-next'), 'success');
    await team.refreshAndRest();
    expect(await team.pulls('dev')).toMatchObject([{ number, state: 'closed', merged: false }]);
  });

  it('is proposed again when a user reopens its pull request', async () => {
    const team = await fixture.team({ environments: ['dev'], webhooks: true });
    const { drySHA, number } = await proposeUnchecked(team);
    await fixture.user.close(team.repository.fullName, number);
    await team.waitsFor('dev', 'Rejected');
    await team.amend('dev', hotfix('first'));
    await team.refreshAndRest();
    await fixture.user.reopen(team.repository.fullName, number);
    const aligned = await eventually(async () => {
      const { headSHA } = await team.openPull('dev');
      expect(await team.local.lines(['show', '-s', '--format=%P', headSHA])).toHaveLength(1);
      expect((await team.local.git(['show', '-s', '--format=%P', headSHA])).split(' ')).toHaveLength(2);
      return headSHA;
    });
    await team.report('lint', aligned, 'success');
    await team.runs('dev', drySHA);
    expect(await team.pulls('dev')).toMatchObject([{ number, merged: true }]);
  });
});

describe('a pull request that the promoter closed itself', () => {
  it('is not a rejection of its commit, which is proposed again', async () => {
    const team = await fixture.team({ environments: ['dev'], webhooks: true });
    await team.applyStrategy({ proposedCommitStatuses: [{ key: 'lint' }] });
    const running = await team.dryTip();
    const { drySHA, hydrated } = await team.propose();
    const proposed = hydrated['dev'] ?? '';
    await team.refresh();
    const { number } = await eventually(() => team.openPull('dev'));
    await team.hydrate('dev', running);
    await team.refreshAndRest();
    await eventually(async () => {
      expect(await team.pulls('dev')).toMatchObject([{ number, state: 'closed', merged: false }]);
    });
    await team.refreshAndRest();

    await team.local.git(['update-ref', 'refs/heads/dev-next', proposed]);
    await team.refreshAndRest();
    await team.report('lint', proposed, 'success');
    await team.runs('dev', drySHA);
  });
});
