import { describe } from '@jest/globals';
import type { ScmName } from '@interlock/stack';
import { crashEverywhere } from './support/crash-everywhere.js';
import { clusterWrites, forgeCalls, type CallObserver, type ForgeTenant } from './support/crash-points.js';
import { crashTest, unobservable, useCrashFixtures } from './support/crash-test.js';
import { rbacRepository, responseScenario } from './support/response-scenario.js';
import { needsEmbedded } from './support/test-cluster.js';
import type { Fixture } from './support/fixture.js';

/** Every write of a status is a separate write. */
const each = { read: 1, write: 10 };

type Observe = (fixture: Fixture) => CallObserver<ForgeTenant>;
type Row = [what: string, scm: ScmName, observe: Observe];
const calls: Observe = ({ platform }) => forgeCalls(platform, 'rest');
const writes: Observe = (fixture) => clusterWrites(fixture, 'gitops-responder');

function crashTests(...rows: Row[]): void {
  describe.each(rows)('killed before and after every %s', (what, scm, observe) => {
    const setup = useCrashFixtures({ scm, prepare: rbacRepository });

    crashTest('the responder opens one pull request with one commit, and reports it', () => {
      const name = what.toLowerCase().replaceAll(' ', '-');
      return crashEverywhere(setup.fixtures, name, responseScenario(setup.prepared), observe, each);
    });
  });
}

crashTests(
  ['call to GitHub', 'github', calls],
  ['call to GitLab', 'gitlab', calls],
  ['call to Gitea', 'gitea', calls],
);

needsEmbedded(unobservable, () => crashTests(['write to the cluster', 'github', writes]));
