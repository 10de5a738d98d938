import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Lease } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { environments, pendingPromotion, promotedOnce } from './support/promotion-scenario.js';
import { Team } from './support/team.js';
import { tenantName } from './support/test-cluster.js';
import { startFixture, type Fixture } from './support/fixture.js';

const timeoutMs = 120_000;
let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.close());

async function leader(): Promise<string | undefined> {
  const { client, cluster } = fixture.platform;
  const lease = await client.get(Lease, { namespace: cluster.namespaces.system, name: 'promoter' });
  return lease.spec?.holderIdentity;
}

test(
  'a replica takes over from a replica that is killed during a merge, and releases the lease when it is stopped',
  async () => {
    const { forge } = fixture.platform;
    const [first, second] = [fixture.fleet, await fixture.addFleet('second')].map(
      (fleet) => fleet.processes.promoter,
    );
    first!.start();
    const before = await eventually(async () => {
      const holder = await leader();
      expect(holder).toBeTruthy();
      return holder;
    }, timeoutMs);
    second!.start();

    const { path, drySHA } = await pendingPromotion(join(fixture.folder, 'template.git'));
    const team = await Team.create(fixture, { name: tenantName('shop'), template: path, environments });
    const fault = forge.faults.add({
      match: { route: '/repos/{owner}/{repo}/pulls/{pull_number}/merge' },
      cutAfterEffect: true,
      onHit: () => first!.kill(),
    });
    await team.connect();
    await team.createStrategy();
    await eventually(async () => expect(await team.missing(drySHA)).toBeUndefined(), timeoutMs);

    expect(fault.hits).toBe(1);
    expect(first!.running).toBe(false);
    expect(await promotedOnce(fixture, team, path, drySHA)).toEqual([]);
    const after = await leader();
    expect(after).toBeTruthy();
    expect(after).not.toBe(before);

    expect(await second!.stop()).toBe(0);
    expect(await leader()).toBeFalsy();
  },
  timeoutMs,
);
