import { describe } from '@jest/globals';
import { crashEverywhere } from './support/crash-everywhere.js';
import { forgeCalls } from './support/crash-points.js';
import { crashTest, useCrashWorlds } from './support/crash-test.js';
import { pendingPromotion, promotionScenario } from './support/promotion-scenario.js';
import { statusScenario } from './support/status-scenario.js';
import type { World } from './support/world.js';

const observe = ({ platform }: World) => forgeCalls(platform, 'rest');

describe.each([
  ['GitLab', 'gitlab'],
  ['Gitea', 'gitea'],
] as const)('killed before and after every call to the API of %s', (_, scm) => {
  const setup = useCrashWorlds({ scm, prepare: pendingPromotion });

  crashTest('the promoter promotes once all the same', () =>
    crashEverywhere(setup.worlds, scm, promotionScenario(setup.prepared), observe),
  );

  crashTest('commit-status-sync reports each phase once', () =>
    crashEverywhere(setup.worlds, `${scm}-statuses`, statusScenario(setup.prepared), observe),
  );
});
