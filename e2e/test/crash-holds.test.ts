import { recordLog } from '@interlock/base/testing';
import { fluxKinds, FluxStandIn, installForeignKinds } from '@interlock/stack';
import { crashEverywhere } from './support/crash-everywhere.js';
import { clusterWrites } from './support/crash-points.js';
import { crashTest, unobservable, useCrashWorlds } from './support/crash-test.js';
import { holdScenario } from './support/hold-scenario.js';
import { keyScenario } from './support/key-scenario.js';
import type { World } from './support/world.js';
import { needsEmbedded } from './support/test-cluster.js';

async function startFlux({ platform }: World): Promise<FluxStandIn> {
  await installForeignKinds(platform.client, Object.values(fluxKinds));
  const flux = new FluxStandIn({ client: platform.connect('flux'), log: recordLog() });
  flux.start();
  return flux;
}

const setup = useCrashWorlds({
  prepare: async (_, worlds) => {
    const stands = new Map<World, FluxStandIn>();
    for (const world of worlds) stands.set(world, await startFlux(world));
    return stands;
  },
  clean: async (stands) => {
    for (const flux of stands.values()) await flux.stop();
  },
});

function fluxOf(world: World): FluxStandIn {
  const flux = setup.prepared.get(world);
  if (flux === undefined) throw new Error('the world has no Flux');
  return flux;
}

needsEmbedded(unobservable, () => {
  crashTest(
    'killed before and after every write to the cluster, gate-controller lets nothing through that is held',
    () =>
      crashEverywhere(setup.worlds, 'holds', holdScenario(fluxOf), (world) =>
        clusterWrites(world, 'gate-controller'),
      ),
  );

  crashTest(
    'killed before and after every write to the cluster, gate-controller lets no promotion through that its gate holds',
    () =>
      crashEverywhere(setup.worlds, 'keys', keyScenario, (world) => clusterWrites(world, 'gate-controller')),
  );
});
