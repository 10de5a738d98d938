import { describe, expect, it } from '@jest/globals';
import { PromotionStrategy } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { Scrape } from './harness/series.js';
import { strategyName, type Team } from './harness/team.js';
import { useFixture } from './harness/fixture.js';

const minute = 60_000;
const hour = 60 * minute;
const fixture = useFixture();

/** Reads the metrics of a team, which has one namespace. */
async function measured(team: Team) {
  const scrape = new Scrape(await fixture.scrape());
  const labels = { namespace: team.namespace };
  const read = (name: string, more = {}) =>
    scrape.value(`interlock_promotion_${name}`, { ...labels, ...more });
  const within = (name: string, above: string, upTo: string) =>
    read(`${name}_bucket`, { le: upTo }) - read(`${name}_bucket`, { le: above });
  return {
    promotions: read('deployments_total', { kind: 'promotion' }),
    rollbacks: read('deployments_total', { kind: 'rollback' }),
    failed: read('failed_deployments_total'),
    leadTimes: read('lead_time_seconds_count'),
    restored: read('time_to_restore_seconds_count'),
    blocked: (name: string) => read('blocked_seconds_total', { class: name }),
    within,
  };
}

async function oldestWait(name: string): Promise<number> {
  return new Scrape(await fixture.scrape()).value('interlock_promotion_oldest_wait_seconds', { class: name });
}

async function lastFailure(team: Team, branch: string) {
  const { lastFailure: failure } = await team.environment(branch);
  if (failure === undefined) throw new Error(`${branch} has not failed`);
  return failure;
}

async function restored(team: Team, branch: string): Promise<void> {
  await eventually(async () => expect(await lastFailure(team, branch)).toHaveProperty('restoredAt'));
  await fixture.rest();
}

/** Puts the output of a dry commit on an environment branch, like a manual merge. */
async function deploy(team: Team, branch: string, drySHA: string): Promise<void> {
  const metadata = JSON.stringify({ drySha: drySHA });
  await team.commit(branch, { 'manifest.yaml': drySHA, 'hydrator.metadata': `${metadata}\n` });
}

const nothing = { promotions: 0, rollbacks: 0, failed: 0, leadTimes: 0, restored: 0 };

describe('the metrics of a promotion', () => {
  it('count a change that is promoted, fails and is restored, in the strategy that it belongs to', async () => {
    const [team, other] = [await fixture.team(), await fixture.team()];
    for (const one of [team, other]) {
      await one.applyStrategy({
        activeCommitStatuses: [{ key: 'health' }],
        environments: ['dev', { branch: 'test', proposedCommitStatuses: [{ key: 'lint' }] }],
      });
      await one.refreshAndRest();
    }
    const { drySHA, hydrated } = await team.propose();
    await fixture.rest();
    /* Times of commits are whole seconds: a lead time of exactly an hour would be in the bucket below. */
    fixture.clock.forward(hour + minute);
    await team.refresh();
    const sha = await team.runs('dev', drySHA);
    await team.report('health', sha, 'failure');
    await eventually(() => lastFailure(team, 'dev'));
    await fixture.rest();
    expect(await measured(team)).toMatchObject({ ...nothing, promotions: 1, leadTimes: 1, failed: 1 });

    fixture.clock.forward(10 * minute);
    await team.report('health', sha, 'in_progress');
    await fixture.rest();
    await team.report('health', sha, 'failure');
    await fixture.rest();
    await team.report('health', sha, 'success');
    await restored(team, 'dev');
    await fixture.rest();
    fixture.clock.forward(2 * hour);
    expect(await oldestWait('CommitStatus')).toBeGreaterThanOrEqual(7200);
    await team.report('lint', hydrated['test'] ?? '', 'success');
    await team.runs('test', drySHA);
    await fixture.rest();

    const all = await measured(team);
    expect(all).toMatchObject({ promotions: 2, rollbacks: 0, leadTimes: 2, failed: 1, restored: 1 });
    expect(all.within('lead_time_seconds', '3600', '14400')).toBe(2);
    expect(all.within('time_to_restore_seconds', '300', '900')).toBe(1);
    expect(Math.floor(all.blocked('CommitStatus') / 7200)).toBe(1);
    expect(Math.floor(all.blocked('Healthy') / 600)).toBe(1);
    expect(await oldestWait('CommitStatus')).toBe(0);
    expect(await measured(other)).toMatchObject(nothing);
  });

  it('count unobserved transitions once, and nothing again after a restart', async () => {
    const team = await fixture.team({ environments: ['dev'] });
    await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }] });
    const { drySHA: first } = await team.propose();
    await team.refreshAndRest();
    await team.report('health', await team.runs('dev', first), 'failure');
    await eventually(() => lastFailure(team, 'dev'));
    await fixture.restart();
    await team.refreshAndRest();
    expect(await measured(team)).toMatchObject(nothing);

    await deploy(team, 'dev', await team.commitDry());
    const newest = await team.commitDry();
    await deploy(team, 'dev', newest);
    await fixture.restart();
    await team.refreshAndRest();
    await team.runs('dev', newest);
    expect(await measured(team)).toMatchObject({ ...nothing, promotions: 2, leadTimes: 2 });
    await fixture.restart();
    await team.refreshAndRest();
    expect(await measured(team)).toMatchObject(nothing);
    await team.report('health', await team.tip('dev'), 'success');
    await restored(team, 'dev');
    expect(await measured(team)).toMatchObject({ ...nothing, restored: 1 });
  });

  it.each<[string, (team: Team, first: { dry: string; active: string }) => Promise<unknown>]>([
    ['by a commit', (team, { dry }) => deploy(team, 'dev', dry)],
    ['by force', (team, { active }) => team.local.git(['update-ref', 'refs/heads/dev', active])],
  ])('count a return to an older dry commit %s as the failure of the newer commit', async (_way, goBack) => {
    const team = await fixture.team({ environments: ['dev'] });
    const first = { dry: await team.dryTip(), active: await team.tip('dev') };
    await team.applyStrategy();
    const { drySHA } = await team.propose();
    await team.refreshAndRest();
    await team.runs('dev', drySHA);
    await goBack(team, first);
    await team.hydrate('dev', first.dry);
    await team.refreshAndRest();
    await team.runs('dev', first.dry);
    expect(await measured(team)).toMatchObject({
      ...nothing,
      promotions: 1,
      leadTimes: 1,
      rollbacks: 1,
      failed: 1,
    });
  });

  it('have as many series for three environments as for one, and are removed with the strategy', async () => {
    const team = await fixture.team();
    const series = async () =>
      new Scrape(await fixture.scrape()).all('interlock_promotion_', { namespace: team.namespace });
    await team.applyStrategy({ environments: ['dev'] });
    await team.refreshAndRest();
    const ofOne = await series();
    expect(ofOne).not.toEqual([]);
    await team.applyStrategy({ proposedCommitStatuses: [{ key: 'lint' }, { key: 'scan' }] });
    await team.refreshAndRest();
    expect(await series()).toHaveLength(ofOne.length);
    await fixture.platform.client.delete(PromotionStrategy, {
      namespace: team.namespace,
      name: strategyName,
    });
    await eventually(async () => expect(await series()).toEqual([]));
  });
});
