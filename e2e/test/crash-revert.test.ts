import { crashEverywhere } from './support/crash-everywhere.js';
import { clusterWrites, forgeCalls } from './support/crash-points.js';
import { crashTest, unobservable, useCrashFixtures } from './support/crash-test.js';
import { badChange, revertScenario } from './support/revert-scenario.js';
import { needsEmbedded } from './support/test-cluster.js';

const setup = useCrashFixtures({ prepare: badChange });

crashTest('the promoter reverts once when it is killed before and after every call to the forge', () =>
  crashEverywhere(setup.fixtures, 'forge', revertScenario(setup.prepared), ({ platform }) =>
    forgeCalls(platform),
  ),
);

needsEmbedded(unobservable, () => {
  crashTest('the promoter reverts once when it is killed before and after every write to the cluster', () =>
    crashEverywhere(setup.fixtures, 'cluster', revertScenario(setup.prepared), (fixture) =>
      clusterWrites(fixture, 'promoter'),
    ),
  );
});
