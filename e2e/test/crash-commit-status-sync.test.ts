import { crashEverywhere } from './support/crash-everywhere.js';
import { clusterWrites, forgeCalls } from './support/crash-points.js';
import { crashTest, unobservable, useCrashFixtures } from './support/crash-test.js';
import { pendingPromotion } from './support/promotion-scenario.js';
import { statusScenario } from './support/status-scenario.js';
import { needsEmbedded } from './support/test-cluster.js';

const setup = useCrashFixtures({ prepare: pendingPromotion });

crashTest(
  'commit-status-sync creates each check run once when it is killed before and after every call to the forge',
  () =>
    crashEverywhere(setup.fixtures, 'forge', statusScenario(setup.prepared), ({ platform }) =>
      forgeCalls(platform),
    ),
);

needsEmbedded(unobservable, () => {
  crashTest(
    'commit-status-sync creates each check run once when it is killed before and after every write to the cluster',
    () =>
      crashEverywhere(setup.fixtures, 'cluster', statusScenario(setup.prepared), (fixture) =>
        clusterWrites(fixture, 'commit-status-sync'),
      ),
  );
});
