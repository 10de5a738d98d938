import { describe, expect, it } from '@jest/globals';
import { TimedCommitStatus } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import type { StrategyTeam } from './harness/strategy-team.js';
import { useFixture } from './harness/fixture.js';

const minute = 60_000;
const activeCommitStatuses = [{ key: 'health' }, { key: 'timer' }];

const fixture = useFixture();

async function soaking(): Promise<{ team: StrategyTeam; one: string }> {
  const team = await fixture.strategyTeam('dev');
  const one = await team.commit();
  await team.applyStrategy({ activeCommitStatuses });
  await team.activate({ dev: one });
  await team.report({ sha: one });
  await team.timed([{ branch: 'dev', duration: '10m' }]);
  await begun(team, true);
  return { team, one };
}

/**
 * Waits until the status reports that the environment is healthy, or that it is not. Returns since when it has been
 * healthy.
 */
function begun(team: StrategyTeam, healthy: boolean): Promise<string | undefined> {
  return eventually(async () => {
    const key = { name: 'soak', namespace: team.namespace };
    const { status } = await fixture.client.get(TimedCommitStatus, key);
    const since = status?.environments?.[0]?.healthySince;
    if ((since !== undefined) !== healthy) throw new Error(`healthy since ${since}`);
    return since;
  });
}

/**
 * Requires that a commit of dev whose ten minutes have just begun becomes successful after these minutes, and not before.
 */
async function soaks(team: StrategyTeam, sha: string): Promise<void> {
  await fixture.forward(9 * minute);
  await team.says('timer', { dev: [sha, 'in_progress'] });
  await fixture.forward(2 * minute);
  await team.says('timer', { dev: [sha, 'success'] });
}

describe('a TimedCommitStatus', () => {
  it('is successful after the duration, even when the process was restarted in between', async () => {
    const { team, one } = await soaking();
    const { dev } = await team.says('timer', { dev: [one, 'in_progress'] });
    expect(dev?.spec.description).toMatch(
      /^healthy since .*Z; 10m0s left of 10m0s: succeeds at .*Z if it stays healthy$/,
    );
    await fixture.forward(5 * minute);
    await eventually(async () => {
      expect((await team.reports('timer'))['dev']?.spec.description).toContain('5m0s left of 10m0s');
    });
    await fixture.restart();
    await fixture.forward(4 * minute);
    await team.says('timer', { dev: [one, 'in_progress'] });
    await fixture.forward(minute);
    await team.says('timer', { dev: [one, 'success'] });
  });

  it('restarts its duration after a degraded phase, and for another commit', async () => {
    const { team, one } = await soaking();
    await fixture.forward(9 * minute);
    await team.report({ sha: one, phase: 'failure' });
    await begun(team, false);
    await team.report({ sha: one });
    await begun(team, true);
    await soaks(team, one);

    const two = await team.commit();
    await team.activate({ dev: two });
    await team.says('timer', { dev: [two, 'in_progress'] });
    await team.report({ sha: two });
    await begun(team, true);
    await soaks(team, two);
  });

  it('restarts its duration after a degraded phase during which the process was down', async () => {
    const { team, one } = await soaking();
    const before = await begun(team, true);
    await fixture.forward(9 * minute);
    await fixture.sync.rest();
    await fixture.sync.stop();
    await team.report({ sha: one, phase: 'failure' });
    await team.report({ sha: one });
    await fixture.start();
    await eventually(async () => expect(await begun(team, true)).not.toBe(before));
    await fixture.forward(9 * minute);
    await team.says('timer', { dev: [one, 'in_progress'] });
    await fixture.forward(2 * minute);
    await team.says('timer', { dev: [one, 'success'] });
  });

  it('uses only objects of its own namespace, even if another namespace has objects with the same names', async () => {
    const [{ team: good, one }, { team: bad, one: same }] = [await soaking(), await soaking()];
    expect(same).toBe(one);
    await fixture.forward(5 * minute);
    await bad.report({ sha: one, phase: 'failure' });
    await begun(bad, false);
    await fixture.forward(6 * minute);
    await good.says('timer', { dev: [one, 'success'] });
    await bad.says('timer', { dev: [one, 'in_progress'] });
  });

  it.each(['soon', '-5m', '10', '9000h'])('is refused with the duration %s', async (duration) => {
    const team = await fixture.strategyTeam('dev');
    await expect(team.timed([{ branch: 'dev', duration }])).rejects.toMatchObject({ type: 'Invalid' });
  });
});
