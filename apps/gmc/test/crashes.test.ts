import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ActionsGateway, RunnerGroup, runnerFinalizers } from '@interlock/api';
import { systemClock, type Clock } from '@interlock/base';
import { Deployment, Event } from '@interlock/kube';
import { eventually, type TestManager } from '@interlock/kube/testing';
import { groupOf } from '../src/testing/builders.js';
import { mortal } from './harness/mortal-client.js';
import { Tenants } from './harness/tenants.js';

/** Provisioning a tenant takes about thirty writes; a controller that makes one write per run needs as many runs. */
const maxLives = 200;

let tenants: Tenants;
beforeAll(async () => {
  tenants = await Tenants.start();
});
afterAll(() => tenants.close());

/**
 * Runs a GMC that is killed at every write, and restarted, until a condition holds.
 *
 * @returns how often it was killed
 */
async function liveUntil(holds: () => Promise<void>, clock: Clock = systemClock): Promise<number> {
  const done = eventually(holds, 120_000).then(() => true);
  for (let lives = 0; lives < maxLives; lives++) {
    let over: Promise<void> = Promise.resolve();
    const gmc = tenants.startGmc((direct) => {
      const life = mortal(direct);
      ({ over } = life);
      return life.client;
    }, clock);
    const isDone = await Promise.race([done, over.then(() => false)]);
    await gmc.stop();
    if (isDone) return lives;
  }
  throw new Error(`the condition does not hold after ${maxLives} restarts`);
}

const groups = (...names: string[]) => ({ runnerGroups: names.map((name) => groupOf({ name })) });

/** Adds the finalizer by which the controller of a tenant holds a RunnerGroup until its runners are removed. */
async function holdGroup(namespace: string, finalizers: string[]): Promise<void> {
  const key = { name: 'gateway-gpu', namespace };
  await tenants.client.patch(RunnerGroup, key, { type: 'merge', patch: { metadata: { finalizers } } });
}

describe('a GMC that is killed at each of its writes', () => {
  it('provisions and changes a tenant like a GMC that is not killed', async () => {
    await tenants.createTenant('calm', groups('linux', 'arm'));
    await tenants.createSecret('calm');
    const calm = tenants.startGmc();
    await tenants.untilReady('calm');
    await calm.stop();
    await tenants.createTenant('killed', groups('linux', 'arm'));
    await tenants.createSecret('killed');
    const lives = await liveUntil(() => tenants.untilReady('killed', 1_000));
    expect(lives).toBeGreaterThan(10);
    await tenants.change('calm', { ...groups('gpu'), securityProfile: 'restricted' });
    await tenants.change('killed', { ...groups('gpu'), securityProfile: 'restricted' });
    await liveUntil(async () => {
      await tenants.untilReady('killed', 1_000);
      await tenants.untilReady('calm', 1_000);
    });
    expect(await tenants.shapeOf('killed')).toEqual(await tenants.shapeOf('calm'));
    expect(Object.keys(await tenants.shapeOf('killed'))).toContain('runnergroups/gateway-gpu');
    expect(Object.keys(await tenants.shapeOf('killed'))).not.toContain('runnergroups/gateway-arm');
  }, 180_000);

  it('removes a tenant completely, after its runners', async () => {
    await holdGroup('killed', [runnerFinalizers.agentPoolCleanup]);
    await tenants.client.delete(ActionsGateway, { name: 'gateway', namespace: 'killed' });
    await liveUntil(async () => {
      const group = await tenants.client.get(RunnerGroup, { name: 'gateway-gpu', namespace: 'killed' });
      expect(group.metadata.deletionTimestamp).toBeDefined();
    });
    expect([...(await tenants.objectsOf('killed')).keys()]).toContain(
      'deployments/actions-gateway-controller',
    );
    await holdGroup('killed', []);
    await liveUntil(async () => {
      await expect(tenants.gateway('killed')).rejects.toMatchObject({ type: 'NotFound' });
    });
    await eventually(async () => expect([...(await tenants.objectsOf('killed')).keys()]).toEqual([]));
    const { items } = await tenants.client.list(Event, { namespace: 'killed' });
    expect(items.filter(({ reason }) => reason === 'TeardownIncomplete')).toEqual([]);
  }, 180_000);
});

describe('a GMC whose tenant has lost its controller', () => {
  it('removes the tenant even if it is killed at each of its writes, and names the runners that stay at GitHub', async () => {
    await tenants.createTenant('orphan', groups('gpu', 'linux'));
    await tenants.createSecret('orphan');
    const calm = tenants.startGmc();
    await tenants.untilReady('orphan');
    await calm.stop();
    const finalizers = [runnerFinalizers.agentPoolCleanup];
    await holdGroup('orphan', finalizers);
    await tenants.client.delete(Deployment, { name: 'actions-gateway-controller', namespace: 'orphan' });
    await tenants.client.delete(ActionsGateway, { name: 'gateway', namespace: 'orphan' });
    const gone = async () => expect(tenants.gateway('orphan')).rejects.toMatchObject({ type: 'NotFound' });
    /* The grace period of two minutes passes at once. */
    const early = { ...systemClock, now: () => systemClock.now() + 3 * 60_000 };
    expect(await liveUntil(gone, early)).toBeGreaterThan(3);
    await eventually(async () => {
      const { items } = await tenants.client.list(Event, { namespace: 'orphan' });
      const notes = items.filter(({ reason }) => reason === 'TeardownIncomplete').map(({ note }) => note);
      expect(notes).toEqual([expect.stringContaining('at GitHub: gateway-gpu;')]);
      expect([...(await tenants.objectsOf('orphan')).keys()]).toEqual([]);
    });
  });
});

describe('two GMCs that both act as leader', () => {
  let both: TestManager[];
  beforeAll(() => {
    both = [tenants.startGmc(), tenants.startGmc()];
  });
  afterAll(() => Promise.all(both.map((gmc) => gmc.stop())));

  it('provision one tenant, and stop writing', async () => {
    await tenants.createTenant('shared-tenant', groups('gpu'));
    await tenants.createSecret('shared-tenant');
    await tenants.untilReady('shared-tenant');
    await tenants.change('shared-tenant', { securityProfile: 'restricted' });
    await tenants.untilReady('shared-tenant');
    await Promise.all(both.map((gmc) => gmc.rest()));
    expect(await tenants.shapeOf('shared-tenant')).toEqual(await tenants.shapeOf('calm'));
    const before = await tenants.versionsOf('shared-tenant');
    const { metadata } = await tenants.gateway('shared-tenant');
    await tenants.change('shared-tenant', { logLevel: 'info' });
    await eventually(async () =>
      expect((await tenants.gateway('shared-tenant')).status?.observedGeneration).toBeGreaterThan(
        metadata.generation ?? 0,
      ),
    );
    await tenants.untilReady('shared-tenant');
    await Promise.all(both.map((gmc) => gmc.rest()));
    expect(Object.keys(await tenants.versionsOf('shared-tenant'))).toEqual(Object.keys(before));
  });
});
