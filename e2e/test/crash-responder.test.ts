import { describe } from '@jest/globals';
import { crashEverywhere } from './support/crash-everywhere.js';
import { clusterWrites, forgeCalls, type CallObserver, type ForgeTenant } from './support/crash-points.js';
import { crashTest, useCrashWorlds } from './support/crash-test.js';
import { rbacRepository, responseScenario } from './support/response-scenario.js';
import type { World } from './support/world.js';

/** Every write of a status is another one. */
const each = { read: 1, write: 10 };

type Observe = (world: World) => CallObserver<ForgeTenant>;
const calls: Observe = ({ platform }) => forgeCalls(platform, 'rest');
const writes: Observe = ({ platform }) => clusterWrites(platform, 'gitops-responder');

describe.each([
  ['call to GitHub', 'github', calls],
  ['write to the cluster', 'github', writes],
  ['call to GitLab', 'gitlab', calls],
  ['call to Gitea', 'gitea', calls],
] as const)('killed before and after every %s', (what, scm, observe) => {
  const setup = useCrashWorlds({ scm, prepare: rbacRepository });

  crashTest('the responder opens one pull request of one commit all the same, and says so', () => {
    const name = what.toLowerCase().replaceAll(' ', '-');
    return crashEverywhere(setup.worlds, name, responseScenario(setup.prepared), observe, each);
  });
});
