import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PromotionStrategy } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { Scrape } from './harness/series.js';
import { strategyName, type Team } from './harness/team.js';
import { World } from './harness/world.js';

const minute = 60_000;
const hour = 60 * minute;
let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

/** Reads metrics of an environment of a team's strategy. */
async function measured(team: Team, environment: string) {
  const scrape = new Scrape(await world.scrape());
  const labels = { namespace: team.namespace, strategy: strategyName, environment };
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
    blocked: (check: string) => read('blocked_seconds_total', { check }),
    within,
  };
}

async function lastFailure(team: Team, branch: string) {
  const { lastFailure: failure } = await team.environment(branch);
  if (failure === undefined) throw new Error(`${branch} has not failed`);
  return failure;
}

async function restored(team: Team, branch: string): Promise<void> {
  await eventually(async () => expect(await lastFailure(team, branch)).toHaveProperty('restoredAt'));
  await world.rest();
}

/** Puts the output of a dry commit on an environment branch, as who merges by hand does. */
async function deploy(team: Team, branch: string, drySHA: string): Promise<void> {
  const metadata = JSON.stringify({ drySha: drySHA });
  await team.commit(branch, { 'manifest.yaml': drySHA, 'hydrator.metadata': `${metadata}\n` });
}

const nothing = { promotions: 0, rollbacks: 0, failed: 0, leadTimes: 0, restored: 0 };

describe('the metrics of a promotion', () => {
  it('count a change that is promoted, fails and is mended, in the strategy that it belongs to', async () => {
    const [team, other] = [await world.team(), await world.team()];
    for (const one of [team, other]) {
      await one.applyStrategy({
        activeCommitStatuses: [{ key: 'health' }],
        environments: ['dev', { branch: 'test', proposedCommitStatuses: [{ key: 'lint' }] }],
      });
      await one.look();
    }
    const { drySHA, hydrated } = await team.propose();
    await world.rest();
    world.clock.forward(hour);
    await team.refresh();
    const sha = await team.runs('dev', drySHA);
    await team.report('health', sha, 'failure');
    await eventually(() => lastFailure(team, 'dev'));
    await world.rest();
    expect(await measured(team, 'dev')).toMatchObject({ ...nothing, promotions: 1, leadTimes: 1, failed: 1 });

    world.clock.forward(10 * minute);
    await team.report('health', sha, 'in_progress');
    await world.rest();
    await team.report('health', sha, 'failure');
    await world.rest();
    await team.report('health', sha, 'success');
    await restored(team, 'dev');
    await world.rest();
    world.clock.forward(2 * hour);
    await team.report('lint', hydrated['test'] ?? '', 'success');
    await team.runs('test', drySHA);
    await world.rest();

    const dev = await measured(team, 'dev');
    expect(dev).toMatchObject({ promotions: 1, rollbacks: 0, leadTimes: 1, failed: 1, restored: 1 });
    expect(dev.within('lead_time_seconds', '3600', '14400')).toBe(1);
    expect(dev.within('time_to_restore_seconds', '300', '900')).toBe(1);
    const test = await measured(team, 'test');
    expect(test).toMatchObject({ ...nothing, promotions: 1, leadTimes: 1 });
    expect(Math.floor(test.blocked('lint') / 7200)).toBe(1);
    expect(Math.floor(test.blocked('Healthy') / 600)).toBe(1);
    expect(await measured(other, 'dev')).toMatchObject(nothing);
    expect(await measured(other, 'test')).toMatchObject(nothing);
  });

  it('count once what happened while nobody looked, and nothing again after a restart', async () => {
    const team = await world.team({ environments: ['dev'] });
    await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }] });
    const { drySHA: first } = await team.propose();
    await team.look();
    await team.report('health', await team.runs('dev', first), 'failure');
    await eventually(() => lastFailure(team, 'dev'));
    await world.restart();
    await team.look();
    expect(await measured(team, 'dev')).toMatchObject(nothing);

    await deploy(team, 'dev', await team.commitDry());
    const newest = await team.commitDry();
    await deploy(team, 'dev', newest);
    await world.restart();
    await team.look();
    await team.runs('dev', newest);
    expect(await measured(team, 'dev')).toMatchObject({ ...nothing, promotions: 2, leadTimes: 2 });
    await world.restart();
    await team.look();
    expect(await measured(team, 'dev')).toMatchObject(nothing);
    await team.report('health', await team.tip('dev'), 'success');
    await restored(team, 'dev');
    expect(await measured(team, 'dev')).toMatchObject({ ...nothing, restored: 1 });
  });

  it.each<[string, (team: Team, first: { dry: string; active: string }) => Promise<unknown>]>([
    ['by a commit', (team, { dry }) => deploy(team, 'dev', dry)],
    ['by force', (team, { active }) => team.local.git(['update-ref', 'refs/heads/dev', active])],
  ])('count a return to an older dry commit %s as the failure of the newer', async (_way, goBack) => {
    const team = await world.team({ environments: ['dev'] });
    const first = { dry: await team.dryTip(), active: await team.tip('dev') };
    await team.applyStrategy();
    const { drySHA } = await team.propose();
    await team.look();
    await team.runs('dev', drySHA);
    await goBack(team, first);
    await team.hydrate('dev', first.dry);
    await team.look();
    await team.runs('dev', first.dry);
    expect(await measured(team, 'dev')).toMatchObject({
      ...nothing,
      promotions: 1,
      leadTimes: 1,
      rollbacks: 1,
      failed: 1,
    });
  });

  it('go with the environment, and with the strategy', async () => {
    const team = await world.team();
    const series = async (labels = {}) =>
      new Scrape(await world.scrape()).all('interlock_promotion_', { namespace: team.namespace, ...labels });
    await team.applyStrategy({ proposedCommitStatuses: [{ key: 'lint' }, { key: 'scan' }] });
    await team.look();
    expect(await series({ environment: 'prod', check: 'scan' })).toHaveLength(1);
    await team.applyStrategy({ environments: ['dev', 'test'], proposedCommitStatuses: [{ key: 'lint' }] });
    await eventually(async () => expect(await series({ check: 'scan' })).toEqual([]));
    await world.rest();
    expect(await series({ environment: 'prod' })).toEqual([]);
    expect(await series({ environment: 'test' })).not.toEqual([]);
    await world.platform.client.delete(PromotionStrategy, { namespace: team.namespace, name: strategyName });
    await eventually(async () => expect(await series()).toEqual([]));
  });
});
