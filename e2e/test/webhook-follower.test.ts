import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Lease } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import type { AppName, ProcessFleet } from '@interlock/stack';
import { deliver } from './support/deliver.js';
import { HydratedRepository, proposedBranchOf } from './support/hydrated-repository.js';
import { isIdle } from './support/idle.js';
import { environments, pendingPromotion } from './support/promotion-scenario.js';
import { rbacRepository, ResponseTenant } from './support/response-scenario.js';
import { Team } from './support/team.js';
import { tenantName } from './support/test-cluster.js';
import { startFixture, type Fixture } from './support/fixture.js';

const timeoutMs = 120_000;
let fixture: Fixture;
let follower: ProcessFleet;

beforeAll(async () => {
  /* Only a webhook triggers a refresh during a test. */
  const args = ['--poll-interval=1h'];
  fixture = await startFixture({ fleet: { args: { promoter: args, 'gitops-responder': args } } });
  follower = await fixture.addFleet('second');
});
afterAll(() => fixture.close());

/** Starts two replicas of an app, of which the replica in `fixture.fleet` leads. */
async function startReplicas(app: AppName): Promise<void> {
  fixture.fleet.processes[app].start();
  await eventually(async () => {
    const key = { namespace: fixture.platform.cluster.namespaces.system, name: app };
    expect((await fixture.platform.client.get(Lease, key)).spec?.holderIdentity).toBeTruthy();
  }, timeoutMs);
  follower.processes[app].start();
}

test(
  'a webhook to a replica that does not lead is not lost, and all changes are read',
  async () => {
    await startReplicas('promoter');
    const { path, drySHA } = await pendingPromotion(join(fixture.folder, 'template.git'));
    const team = await Team.create(fixture, { name: tenantName('shop'), template: path, environments });
    await team.connect();
    await team.createStrategy();
    await eventually(async () => expect(await team.missing(drySHA)).toBeUndefined(), timeoutMs);

    const repository = HydratedRepository.open(team.local);
    const next = await repository.commitDry('Sell soup');
    for (const environment of environments) {
      await repository.hydrate(environment, next, `${environment}: tea, cake and soup`);
    }
    const [first] = environments;
    const push = { kind: 'push', payload: { ref: `refs/heads/${proposedBranchOf(first)}` } };
    const url = `${follower.webhookUrls.promoter}/webhooks/${team.name}/forge`;
    await eventually(async () => {
      expect(await deliver(url, team.repository, push, 'guessed')).toMatchObject({ status: 401 });
    }, timeoutMs);
    expect(await team.missing(next)).toContain(`${first} runs`);

    expect(await deliver(url, team.repository, push)).toMatchObject({ status: 202 });
    await eventually(async () => expect(await team.missing(next)).toBeUndefined(), timeoutMs);
  },
  2 * timeoutMs,
);

test(
  'a webhook about a merge updates the stage immediately, even at a replica of the responder that does not lead',
  async () => {
    await startReplicas('gitops-responder');
    const template = await rbacRepository(join(fixture.folder, 'rbac.git'));
    const tenant = await ResponseTenant.create(fixture, tenantName('answers'), template);
    await tenant.configure();
    await eventually(async () => expect(await tenant.isConfigured()).toBe(true), timeoutMs);
    await tenant.respond();
    const { changeRequest: { number } = {} } = await eventually(async () => {
      const status = await tenant.status();
      expect(status.phase).toBe('Succeeded');
      return status;
    }, timeoutMs);

    const event = { kind: 'pull_request', payload: { pull_request: { number } } };
    const url = `${follower.webhookUrls['gitops-responder']}/webhooks/${tenant.name}`;
    await eventually(async () => {
      expect(await deliver(url, tenant.repository, event, 'guessed')).toMatchObject({ status: 401 });
      expect(await deliver(url, tenant.repository, event)).toEqual({ status: 202, message: '1 responses' });
    }, timeoutMs);
    await eventually(
      async () => expect(await isIdle(fixture.fleet, 'gitops-responder')).toBe(true),
      timeoutMs,
    );

    await tenant.merge();
    expect(await deliver(url, tenant.repository, event)).toMatchObject({ status: 202 });
    await eventually(async () => expect((await tenant.status()).stage).toBe('Merged'), timeoutMs);
    expect(await follower.metrics('gitops-responder')).not.toMatch(
      /^controller_runtime_reconcile_total\{.*\} [1-9]/m,
    );
  },
  2 * timeoutMs,
);
