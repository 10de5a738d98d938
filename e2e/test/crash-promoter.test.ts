import { crashEverywhere } from './support/crash-everywhere.js';
import { clusterWrites, forgeCalls } from './support/crash-points.js';
import { crashTest, unobservable, useCrashFixtures } from './support/crash-test.js';
import { pendingPromotion, promotionScenario } from './support/promotion-scenario.js';
import { needsEmbedded } from './support/test-cluster.js';

const setup = useCrashFixtures({ prepare: pendingPromotion });

crashTest('the promoter promotes once when it is killed before and after every call to the forge', () =>
  crashEverywhere(setup.fixtures, 'forge', promotionScenario(setup.prepared), ({ platform }) =>
    forgeCalls(platform),
  ),
);

needsEmbedded(unobservable, () => {
  crashTest('the promoter promotes once when it is killed before and after every write to the cluster', () =>
    crashEverywhere(setup.fixtures, 'cluster', promotionScenario(setup.prepared), (fixture) =>
      clusterWrites(fixture, 'promoter'),
    ),
  );
});
