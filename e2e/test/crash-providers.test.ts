import { describe } from '@jest/globals';
import { crashEverywhere } from './support/crash-everywhere.js';
import { forgeCalls } from './support/crash-points.js';
import { crashTest, useCrashFixtures } from './support/crash-test.js';
import { pendingPromotion, promotionScenario } from './support/promotion-scenario.js';
import { statusScenario } from './support/status-scenario.js';
import type { Fixture } from './support/fixture.js';

const observe = ({ platform }: Fixture) => forgeCalls(platform, 'rest');

describe.each([
  ['GitLab', 'gitlab'],
  ['Gitea', 'gitea'],
] as const)('killed before and after every call to the API of %s', (_, scm) => {
  const setup = useCrashFixtures({ scm, prepare: pendingPromotion });

  crashTest('the promoter promotes once', () =>
    crashEverywhere(setup.fixtures, scm, promotionScenario(setup.prepared), observe),
  );

  crashTest('commit-status-sync reports each phase once', () =>
    crashEverywhere(setup.fixtures, `${scm}-statuses`, statusScenario(setup.prepared), observe),
  );
});
