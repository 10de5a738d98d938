import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PromotionStrategy, PullRequest } from '@interlock/api';
import { Namespace } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { runCli } from './support/cli.js';
import { environments, pendingPromotion, type Template } from './support/promotion-scenario.js';
import { Team } from './support/team.js';
import { needsControllers, tenantName } from './support/test-cluster.js';
import { alone, startWorld, type World } from './support/world.js';

/* The garbage collector of a cluster learns of new kinds twice a minute. */
const timeoutMs = 120_000;
let world: World;
let template: Template;
let teams = 0;

beforeAll(async () => {
  world = await startWorld({ fleet: alone });
  template = await pendingPromotion(join(world.folder, 'template.git'));
  world.fleet.processes.promoter.start();
});
afterAll(() => world.close());

async function newTeam(): Promise<Team> {
  const team = await Team.create(world, {
    name: tenantName(`shop-${++teams}`),
    template: template.path,
    environments,
  });
  await team.connect();
  return team;
}

function createWaitingStrategy(team: Team): Promise<void> {
  return team.createStrategy({ environments: environments.map((branch) => ({ branch, autoMerge: false })) });
}

/** A team whose pull requests are open and wait for a person. */
async function waitingTeam(): Promise<Team> {
  const team = await newTeam();
  await createWaitingStrategy(team);
  await eventually(async () => {
    const known = await pullRequests(team);
    expect(known.map(({ status }) => status?.state)).toEqual(['open', 'open']);
  }, timeoutMs);
  return team;
}

async function pullRequests(team: Team): Promise<PullRequest[]> {
  return (await world.platform.client.list(PullRequest, { namespace: team.name })).items;
}

async function statesAtForge(team: Team): Promise<string[]> {
  return (await world.forgeApi.pullRequests(team.repository.fullName)).map(({ state }) => state);
}

/** Deletes a strategy, and waits until garbage collection has come to the pull requests. */
async function deleteStrategyWhileDown(team: Team): Promise<void> {
  await world.platform.client.delete(PromotionStrategy, team.strategyKey);
  await eventually(async () => {
    for (const { metadata } of await pullRequests(team)) expect(metadata.deletionTimestamp).toBeDefined();
  }, timeoutMs);
}

async function expectAllClosed(team: Team): Promise<void> {
  await eventually(async () => expect(await pullRequests(team)).toEqual([]), timeoutMs);
  expect(await statesAtForge(team)).toEqual(['closed', 'closed']);
}

needsControllers('garbage collection and the deletion of namespaces work', () => {
  test(
    'a strategy that is deleted takes its pull requests with it',
    async () => {
      const team = await waitingTeam();
      expect(await statesAtForge(team)).toEqual(['open', 'open']);
      await world.platform.client.delete(PromotionStrategy, team.strategyKey);
      await expectAllClosed(team);
    },
    timeoutMs,
  );

  test(
    'a strategy that is deleted while the promoter is down takes its pull requests with it',
    async () => {
      const team = await waitingTeam();
      await world.fleet.processes.promoter.kill();
      await deleteStrategyWhileDown(team);
      world.fleet.processes.promoter.start();
      await expectAllClosed(team);
    },
    timeoutMs,
  );

  test(
    'a pull request whose creation was never answered goes with its strategy',
    async () => {
      const team = await newTeam();
      world.platform.forge.faults.add({
        match: { method: 'POST', route: '/repos/{owner}/{repo}/pulls' },
        cutAfterEffect: true,
        onHit: () => world.fleet.processes.promoter.kill(),
      });
      await createWaitingStrategy(team);
      await eventually(() => expect(world.fleet.processes.promoter.running).toBe(false), timeoutMs);
      expect(await statesAtForge(team)).toContain('open');
      await deleteStrategyWhileDown(team);
      world.fleet.processes.promoter.start();
      await eventually(async () => expect(await pullRequests(team)).toEqual([]), timeoutMs);
      expect(await statesAtForge(team)).not.toContain('open');
    },
    timeoutMs,
  );

  test(
    'a namespace with open pull requests waits for the promoter, or for interlock uninstall',
    async () => {
      const team = await waitingTeam();
      const urls = (await pullRequests(team)).map(({ status }) => status?.url ?? '');
      await world.fleet.processes.promoter.kill();
      await world.platform.client.delete(Namespace, { name: team.name });
      await eventually(async () => {
        const known = await pullRequests(team);
        expect(known.map(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([true, true]);
      }, timeoutMs);
      const { code, stdout, stderr } = await runCli(
        world,
        'uninstall',
        '-n',
        team.name,
        '--yes',
        '-o',
        'json',
      );
      expect({ code, stderr: stderr.includes('2 changes made') }).toEqual({ code: 0, stderr: true });
      for (const url of urls) expect(stdout).toContain(`the open pull request ${url} stays open`);
      await eventually(async () => {
        const { items } = await world.platform.client.list(Namespace);
        expect(items.map(({ metadata }) => metadata.name)).not.toContain(team.name);
      }, timeoutMs);
      expect(await statesAtForge(team)).toEqual(['open', 'open']);
      world.fleet.processes.promoter.start();
    },
    timeoutMs,
  );
});
