import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RevertCommit, type RevertCommitStatus } from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { repositoryName } from '@interlock/stack';
import type { Proposal, Team } from './harness/team.js';
import { World } from './harness/world.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.close());

/** A team in which dev, test and prod run a first change, and dev and test a second one, which is not healthy in test. */
async function teamWithBadChange(): Promise<{ team: Team; good: Proposal; bad: Proposal }> {
  const team = await world.team();
  await team.applyStrategy({ activeCommitStatuses: [{ key: 'health' }] });
  const good = await team.propose();
  await team.refresh();
  for (const branch of ['dev', 'test', 'prod']) await healthy(team, branch, good.drySHA);
  await eventually(async () => {
    const { lastHealthyDrySHAs = [] } = await team.environment('test');
    expect(lastHealthyDrySHAs[0]?.sha).toBe(good.drySHA);
  });
  const bad = await team.propose();
  await team.refresh();
  await healthy(team, 'dev', bad.drySHA);
  await team.report('health', await team.runs('test', bad.drySHA), 'failure');
  return { team, good, bad };
}

async function healthy(team: Team, branch: string, drySHA: string): Promise<void> {
  await team.report('health', await team.runs(branch, drySHA), 'success');
}

async function revert(team: Team, spec: Partial<RevertCommit['spec']>, name = 'back'): Promise<void> {
  await world.platform.client.create(RevertCommit, {
    metadata: { name, namespace: team.namespace },
    spec: { repoRef: { name: repositoryName }, activeBranch: 'test', ...spec },
  });
}

async function statusOf(team: Team, name = 'back'): Promise<RevertCommitStatus> {
  const object = await world.platform.client.get(RevertCommit, { namespace: team.namespace, name });
  return object.status ?? {};
}

describe('a RevertCommit', () => {
  it('takes the environment back to the last healthy dry commit, by pull request', async () => {
    const { team, good, bad } = await teamWithBadChange();
    const unwanted = await team.tip('test');
    await revert(team, { mode: 'Auto', reason: 'it does not start' });
    const tip = await eventually(async () => {
      const status = await statusOf(team);
      expect(status).toMatchObject({ state: 'Merged', inForce: true, rejectedDrySHA: bad.drySHA });
      return team.tip('test');
    });
    expect(await team.tree(tip)).toBe(await team.tree(good.hydrated['test'] ?? ''));
    expect((await team.trailers(tip))['Revert-of']).toBe(unwanted);
  });
});
