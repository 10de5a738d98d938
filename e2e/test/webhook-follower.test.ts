import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Lease } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { systemNamespace } from '@interlock/stack';
import { fetch } from 'undici';
import { HydratedRepository, proposedBranchOf } from './support/hydrated-repository.js';
import { environments, pendingPromotion } from './support/promotion-scenario.js';
import { Team, webhookSecret } from './support/team.js';
import { startWorld, type World } from './support/world.js';

const timeoutMs = 120_000;
let world: World;

beforeAll(async () => {
  /* Nothing but a webhook makes the promoter look within the time of the test. */
  world = await startWorld({ fleet: { args: { promoter: ['--poll-interval=1h'] } } });
});
afterAll(() => world.close());

/** Delivers a push of one branch as GitHub does. @returns the status of the answer. */
async function deliver(url: string, team: Team, branch: string, secret = webhookSecret): Promise<number> {
  const { owner, name } = team.repository;
  const body = JSON.stringify({ ref: `refs/heads/${branch}`, repository: { name, owner: { login: owner } } });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const { status } = await fetch(`${url}/webhooks/${team.name}/forge`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body,
  });
  return status;
}

test(
  'a webhook that reaches a replica which does not lead is not lost, and brings all that has changed',
  async () => {
    const follower = await world.addFleet('second');
    world.fleet.processes.promoter.start();
    await eventually(async () => {
      const key = { namespace: systemNamespace, name: 'promoter' };
      expect((await world.platform.client.get(Lease, key)).spec?.holderIdentity).toBeTruthy();
    }, timeoutMs);
    follower.processes.promoter.start();

    const { path, drySHA } = await pendingPromotion(join(world.folder, 'template.git'));
    const team = await Team.create(world, { name: 'shop', template: path, environments });
    await team.connect();
    await team.createStrategy();
    await eventually(async () => expect(await team.missing(drySHA)).toBeUndefined(), timeoutMs);

    const repository = HydratedRepository.open(team.local);
    const next = await repository.commitDry('Sell soup');
    for (const environment of environments) {
      await repository.hydrate(environment, next, `${environment}: tea, cake and soup`);
    }
    const [first] = environments;
    const branch = proposedBranchOf(first);
    await eventually(async () => {
      expect(await deliver(follower.webhookUrl, team, branch, 'guessed')).toBe(401);
    }, timeoutMs);
    expect(await team.missing(next)).toContain(`${first} runs`);

    expect(await deliver(follower.webhookUrl, team, branch)).toBe(202);
    await eventually(async () => expect(await team.missing(next)).toBeUndefined(), timeoutMs);
  },
  2 * timeoutMs,
);
