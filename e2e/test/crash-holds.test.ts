import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { recordLog } from '@interlock/kube/testing';
import { fluxKinds, FluxStandIn, installForeignKinds } from '@interlock/stack';
import { crashEverywhere } from './support/crash-everywhere.js';
import { clusterWrites } from './support/crash-points.js';
import { holdScenario } from './support/hold-scenario.js';
import { alone, startWorld, type World } from './support/world.js';

const laneCount = 2;
const timeoutMs = 600_000;
const stands = new Map<World, FluxStandIn>();

function fluxOf(world: World): FluxStandIn {
  const flux = stands.get(world);
  if (flux === undefined) throw new Error('the world has no Flux');
  return flux;
}

beforeAll(async () => {
  const worlds = await Promise.all(Array.from({ length: laneCount }, () => startWorld({ fleet: alone })));
  for (const world of worlds) {
    const { client } = world.platform;
    await installForeignKinds(client, Object.values(fluxKinds));
    const flux = new FluxStandIn({ client: world.platform.connect('flux'), log: recordLog() });
    flux.start();
    stands.set(world, flux);
  }
}, timeoutMs);

afterAll(async () => {
  for (const [world, flux] of stands) {
    await flux.stop();
    await world.close();
  }
});

test(
  'killed before and after every write to the cluster, gate-controller lets nothing through that is held',
  async () =>
    expect(
      await crashEverywhere([...stands.keys()], 'holds', holdScenario(fluxOf), ({ platform }) =>
        clusterWrites(platform, 'gate-controller'),
      ),
    ).toEqual([]),
  timeoutMs,
);
