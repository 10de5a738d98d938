import { describe, expect, it } from '@jest/globals';
import { hydratorMetadataFile } from '@interlock/git';
import { eventually } from '@interlock/kube/testing';
import type { Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

/** Hydrates a dry commit without notes, with a copy of the message of the dry commit. */
function copy(team: Team, branch: string, drySHA: string, message: string): Promise<string> {
  return team.commit(
    `${branch}-next`,
    {
      'manifest.yaml': `environment: ${branch}\noutput: ${drySHA}\n`,
      [hydratorMetadataFile]: `${JSON.stringify({ drySha: drySHA })}\n`,
    },
    message,
  );
}

describe('a dry commit whose message ends in the trailers of a promotion', () => {
  it('is promoted in order, like any other dry commit', async () => {
    const team = await fixture.team();
    await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }] });
    const running = await team.dryTip();
    for (const branch of ['dev', 'test', 'prod']) {
      await team.report('health', await team.tip(branch), 'success');
    }
    const drySHA = await team.commitDry();
    for (const branch of ['dev', 'test', 'prod']) {
      const before = await team.tip(`${branch}-next`);
      const trailers = [`Sha-dry-proposed: ${running}`, `Sha-hydrated-proposed: ${before}`];
      await copy(team, branch, drySHA, `A harmless change\n\n${trailers.join('\n')}\n`);
    }
    await team.refresh();
    const dev = await team.runs('dev', drySHA);
    await team.refreshAndRest();
    expect((await team.environment('prod')).proposed).toMatchObject({ drySHA });
    expect(await team.check('test', 'Healthy')).toMatchObject({ state: 'pending' });
    expect(await team.check('prod', 'Order')).toMatchObject({ state: 'pending' });
    expect(team.mergeRequests()).toHaveLength(1);
    for (const branch of ['test', 'prod']) {
      expect((await team.environment(branch)).active).toMatchObject({ drySHA: running });
    }

    await team.report('health', dev, 'success');
    await team.report('health', await team.runs('test', drySHA), 'success');
    await team.runs('prod', drySHA);
  });

  it('is recognized as active if a user merged it', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'], webhooks: true });
    await team.applyStrategy({ environments: [{ branch: 'dev', autoMerge: false }, 'test'] });
    const running = await team.dryTip();
    const drySHA = await team.commitDry();
    for (const branch of ['dev', 'test']) {
      await copy(team, branch, drySHA, `A harmless change\n\nSha-dry-proposed: ${running}\n`);
    }
    await team.refresh();
    await team.waitsFor('dev', 'WaitingForPerson');
    const { number } = await team.openPull('dev');
    await fixture.user.merge(team.repository.fullName, number);
    await team.runs('dev', drySHA);
    await team.runs('test', drySHA);
    await eventually(async () => {
      expect((await team.environment('dev')).history?.[0]).toMatchObject({ drySHA });
    });
  });
});
