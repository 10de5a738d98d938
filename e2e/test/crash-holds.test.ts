import { recordLog } from '@interlock/base/testing';
import { fluxKinds, SimulatedFlux, installForeignKinds } from '@interlock/stack';
import { crashEverywhere } from './support/crash-everywhere.js';
import { clusterWrites } from './support/crash-points.js';
import { crashTest, unobservable, useCrashFixtures } from './support/crash-test.js';
import { holdScenario } from './support/hold-scenario.js';
import { keyScenario } from './support/key-scenario.js';
import type { Fixture } from './support/fixture.js';
import { needsEmbedded } from './support/test-cluster.js';

async function startFlux({ platform }: Fixture): Promise<SimulatedFlux> {
  await installForeignKinds(platform.client, Object.values(fluxKinds));
  const flux = new SimulatedFlux({ client: platform.connect('flux'), log: recordLog() });
  flux.start();
  return flux;
}

const setup = useCrashFixtures({
  prepare: async (_, fixtures) => {
    const fluxes = new Map<Fixture, SimulatedFlux>();
    for (const fixture of fixtures) fluxes.set(fixture, await startFlux(fixture));
    return fluxes;
  },
  clean: async (fluxes) => {
    for (const flux of fluxes.values()) await flux.stop();
  },
});

function fluxOf(fixture: Fixture): SimulatedFlux {
  const flux = setup.prepared.get(fixture);
  if (flux === undefined) throw new Error('the fixture has no Flux');
  return flux;
}

needsEmbedded(unobservable, () => {
  crashTest(
    'gate-controller lets no held revision through when it is killed before and after every write to the cluster',
    () =>
      crashEverywhere(setup.fixtures, 'holds', holdScenario(fluxOf), (fixture) =>
        clusterWrites(fixture, 'gate-controller'),
      ),
  );

  crashTest(
    'gate-controller lets no held promotion through when it is killed before and after every write to the cluster',
    () =>
      crashEverywhere(setup.fixtures, 'keys', keyScenario, (fixture) =>
        clusterWrites(fixture, 'gate-controller'),
      ),
  );
});
