import { describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { proposeUnapproved } from './harness/proposals.js';
import { useFixture } from './harness/fixture.js';

const fixture = useFixture();

describe('a change whose hydration changes nothing in an environment', () => {
  it.each([
    { what: 'an environment that was promoted to before', promoted: true },
    { what: 'an environment that runs the very commit of its proposed branch', promoted: false },
  ])('counts for $what once the preceding environments run it', async ({ promoted }) => {
    const team = await fixture.team();
    await team.applyStrategy({
      environments: [{ branch: 'dev', proposedCommitStatuses: [{ key: 'lint' }] }, 'test', 'prod'],
    });
    if (promoted) {
      const { drySHA, hydrated } = await team.propose();
      await team.report('lint', hydrated['dev'] ?? '', 'success');
      await team.refresh();
      await team.runs('prod', drySHA);
    }
    const before =
      (await team.environment('dev').catch(() => undefined))?.active?.drySHA ?? (await team.dryTip());
    const unchanged = await team.tip('test');
    const pulls = await team.pulls('test');
    const drySHA = await team.commitDry();
    const dev = await team.hydrate('dev', drySHA);
    await team.note(await team.tip('test-next'), drySHA);
    await team.hydrate('prod', drySHA);
    await team.refreshAndRest();
    await eventually(async () => {
      expect(await team.check('prod', 'Order')).toMatchObject({
        state: 'pending',
        message: expect.stringContaining(`test runs ${before.slice(0, 7)}, not ${drySHA.slice(0, 7)}`),
      });
      expect((await team.environment('test')).active?.drySHA).toBe(before);
      expect(await team.openPull('prod')).toBeDefined();
    });

    await team.report('lint', dev, 'success');
    await team.runs('prod', drySHA);
    expect((await team.environment('test')).active).toMatchObject({ drySHA, hydratedSHA: unchanged });
    expect(await team.pulls('test')).toEqual(pulls);
  });

  it('waits for the health of the environment that precedes the unchanged environment', async () => {
    const team = await fixture.team();
    await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }] });
    const drySHA = await team.commitDry();
    await team.hydrate('dev', drySHA);
    const test = await team.tip('test');
    await team.note(test, drySHA);
    await team.hydrate('prod', drySHA);
    await team.report('health', test, 'success');
    await team.refresh();
    const dev = await team.runs('dev', drySHA);
    await eventually(async () => {
      expect(await team.check('prod', 'Order')).toMatchObject({ state: 'success' });
      expect(await team.check('prod', 'Healthy')).toMatchObject({
        state: 'pending',
        message: expect.stringContaining('health of dev'),
      });
    });
    await team.report('health', dev, 'success');
    await team.runs('prod', drySHA);
  });

  it('takes over the open pull request of the previous commit', async () => {
    const team = await fixture.team({ environments: ['dev', 'test'] });
    await proposeUnapproved(team);
    const { number, headSHA } = await eventually(() => team.openPull('test'));

    const drySHA = await team.commitDry();
    await team.hydrate('dev', drySHA);
    await team.note(headSHA, drySHA);
    await team.refresh();
    await team.runs('dev', drySHA);
    await eventually(async () => {
      expect(await team.openPull('test')).toMatchObject({
        number,
        headSHA,
        title: `Promote ${drySHA.slice(0, 7)} to test`,
      });
    });
    await team.report('approval', headSHA, 'success');
    await team.runs('test', drySHA);
    expect((await team.trailers(await team.tip('test')))['Sha-dry-proposed']).toBe(drySHA);
    expect(await team.pulls('test')).toMatchObject([{ number }]);
  });
});
