import { describe } from '@jest/globals';
import type { ScmName } from '@interlock/stack';
import { crashEverywhere } from './support/crash-everywhere.js';
import { clusterWrites, forgeCalls, type CallObserver, type ForgeTenant } from './support/crash-points.js';
import { crashTest, unobservable, useCrashWorlds } from './support/crash-test.js';
import { rbacRepository, responseScenario } from './support/response-scenario.js';
import { needsEmbedded } from './support/test-cluster.js';
import type { World } from './support/world.js';

/** Every write of a status is another one. */
const each = { read: 1, write: 10 };

type Observe = (world: World) => CallObserver<ForgeTenant>;
type Row = [what: string, scm: ScmName, observe: Observe];
const calls: Observe = ({ platform }) => forgeCalls(platform, 'rest');
const writes: Observe = (world) => clusterWrites(world, 'gitops-responder');

function crashTests(...rows: Row[]): void {
  describe.each(rows)('killed before and after every %s', (what, scm, observe) => {
    const setup = useCrashWorlds({ scm, prepare: rbacRepository });

    crashTest('the responder opens one pull request of one commit all the same, and says so', () => {
      const name = what.toLowerCase().replaceAll(' ', '-');
      return crashEverywhere(setup.worlds, name, responseScenario(setup.prepared), observe, each);
    });
  });
}

crashTests(
  ['call to GitHub', 'github', calls],
  ['call to GitLab', 'gitlab', calls],
  ['call to Gitea', 'gitea', calls],
);

needsEmbedded(unobservable, () => crashTests(['write to the cluster', 'github', writes]));
