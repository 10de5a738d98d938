import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ArgoCDCommitStatus, TimedCommitStatus, type CustomKind } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { deploy, installArgoCD, reported, type Deployed } from './support/argocd.js';
import { environments, pendingPromotion, promotedOnce } from './support/promotion-scenario.js';
import { Team } from './support/team.js';
import { tenantName } from './support/test-cluster.js';
import { alone, startFixture, type Fixture } from './support/fixture.js';

const timeoutMs = 120_000;
const waitMs = 40_000;
const [dev, prod] = environments;
const [health, timer] = ['argocd-health', 'timer'];

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture({ fleet: alone });
  await installArgoCD(fixture);
});
afterAll(() => fixture.close());

function source(team: Team, kind: CustomKind, name: string, spec: object): Promise<unknown> {
  return fixture.platform.client.apply(
    kind,
    {
      metadata: { namespace: team.name, name },
      spec: { promotionStrategyRef: { name: team.strategyKey.name }, ...spec },
    },
    { fieldManager: 'team' },
  );
}

/** Waits until prod reports that the active commit of dev is not healthy, with the key. */
async function held(team: Team): Promise<void> {
  await eventually(async () => {
    const state = (await team.strategy()).status?.environments?.find(({ branch }) => branch === prod);
    const check = state?.checks?.find(({ name }) => name === 'Healthy');
    expect(check).toMatchObject({ message: expect.stringContaining(health) });
    expect(check?.state).not.toBe('success');
  }, waitMs);
}

test(
  'a change is promoted to prod when the Applications of dev have been healthy for the required time',
  async () => {
    const { path, drySHA } = await pendingPromotion(join(fixture.folder, 'template.git'));
    const team = await Team.create(fixture, { name: tenantName('shop'), template: path, environments });
    const before = await team.local.resolve(`refs/heads/${prod}`);
    await team.connect();
    await source(team, ArgoCDCommitStatus, 'health', {
      applicationSelector: { matchLabels: { app: 'shop' } },
    });
    await source(team, TimedCommitStatus, 'soak', { environments: [{ branch: dev, duration: '2s' }] });
    await fixture.fleet.start();
    await team.createStrategy({ activeCommitStatuses: [{ key: health }, { key: timer }] });
    const promoted = await eventually(async () => {
      const state = (await team.strategy()).status?.environments?.find(({ branch }) => branch === dev);
      expect(state?.active?.drySHA).toBe(drySHA);
      return state?.active?.hydratedSHA ?? '';
    }, waitMs);

    const run = (name: string, state: Deployed['health']) =>
      deploy(fixture, team, name, { branch: dev, revision: promoted, health: state });
    await run('web', 'Healthy');
    await run('api', 'Degraded');
    expect(await reported(fixture, team, health, promoted, 'failure', waitMs)).toContain('1 of 2');
    await reported(fixture, team, timer, promoted, 'in_progress', waitMs);
    await held(team);
    expect(await team.local.resolve(`refs/heads/${prod}`)).toBe(before);

    await run('api', 'Healthy');
    await reported(fixture, team, health, promoted, 'success', waitMs);
    expect(await reported(fixture, team, timer, promoted, 'success', waitMs)).toContain('healthy since');
    await eventually(async () => expect(await team.missing(drySHA)).toBeUndefined(), waitMs);
    expect(await promotedOnce(fixture, team, path, drySHA)).toEqual([]);
  },
  timeoutMs,
);
