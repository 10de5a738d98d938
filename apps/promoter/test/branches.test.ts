import { describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { proposeUnchecked } from './harness/proposals.js';
import { conditionOf } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

describe('a dry commit that is not hydrated', () => {
  it('makes the promotion state unknown, and shows how far the environments are behind', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'] });
    await team.applyStrategy();
    await team.refreshAndRest();
    const running = await team.dryTip();
    expect(conditionOf(await team.strategy(), 'Promoted')).toMatchObject({ status: 'True' });
    await team.commitDry();
    const drySHA = await team.commitDry();
    await team.refreshAndRest();
    const strategy = await team.strategy();
    expect(conditionOf(strategy, 'Ready')).toMatchObject({ status: 'True' });
    expect(conditionOf(strategy, 'Promoted')).toMatchObject({
      status: 'Unknown',
      reason: 'NotHydrated',
      message: expect.stringContaining(
        `main is at ${drySHA.slice(0, 7)}, which is not hydrated for dev, test`,
      ),
    });
    expect(strategy.status).toMatchObject({
      dryTipSHA: drySHA,
      environments: [
        { behind: 2, active: { drySHA: running } },
        { behind: 2, active: { drySHA: running } },
      ],
    });

    await team.hydrate('dev', drySHA);
    await team.note(await team.tip('test-next'), drySHA);
    await team.refresh();
    await team.runs('test', drySHA);
    await eventually(async () => {
      expect(conditionOf(await team.strategy(), 'Promoted')).toMatchObject({ status: 'True' });
      expect((await team.environment('test')).behind).toBe(0);
    });
  });
});

describe('a branch that is deleted', () => {
  const remove = (branch: string) => ['update-ref', '-d', `refs/heads/${branch}`];

  it('after a merge, if it is a proposed branch, proposes nothing', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    await team.applyStrategy();
    const first = await team.propose();
    await team.refresh();
    await team.runs('dev', first.drySHA);
    await team.local.git(remove('dev-next'));
    await team.refreshAndRest();
    expect(conditionOf(await team.strategy(), 'Ready')).toMatchObject({ status: 'True' });
    expect(conditionOf(await team.strategy(), 'Promoted')).toMatchObject({ status: 'True' });
    expect(conditionOf(await team.proposedCommit('dev'), 'Promoted')).toMatchObject({
      status: 'True',
      reason: 'NothingProposed',
    });
    const second = await team.propose();
    await team.refresh();
    await team.runs('dev', second.drySHA);
  });

  it('by mistake, if it is an environment branch, makes the promotion state unknown', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    await team.applyStrategy();
    await team.refreshAndRest();
    await team.local.git(remove('dev'));
    await team.refreshAndRest();
    for (const object of [await team.strategy(), await team.proposedCommit('dev')]) {
      expect(conditionOf(object, 'Ready')).toMatchObject({ status: 'False', reason: 'BranchNotFound' });
      expect(conditionOf(object, 'Promoted')).toMatchObject({ status: 'Unknown', reason: 'BranchNotFound' });
    }
  });

  it.each([{ webhooks: true }, { webhooks: false }])(
    'and restored proposes its commit again (webhooks: $webhooks)',
    async ({ webhooks }) => {
      const team = await fixture.team({ environments: ['dev'], webhooks });
      const { drySHA, sha: proposed } = await proposeUnchecked(team);
      const running = await team.tip('dev');
      await team.local.git(remove('dev'));
      expect(await team.pulls('dev')).toMatchObject([{ state: 'closed', merged: false }]);
      if (!webhooks) fixture.clock.forward(5 * 60_000);
      await team.refreshAndRest();
      await eventually(async () => {
        const ready = conditionOf(await team.proposedCommit('dev'), 'Ready');
        expect(ready).toMatchObject({ status: 'False', reason: 'BranchNotFound' });
      });

      await team.local.git(['update-ref', 'refs/heads/dev', running]);
      await team.pulls('dev');
      await team.refreshAndRest();
      await eventually(async () => {
        expect(await team.openPull('dev')).toMatchObject({ headSHA: proposed });
      });
      await team.report('lint', proposed, 'success');
      await team.runs('dev', drySHA);
    },
  );
});
