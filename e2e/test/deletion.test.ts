import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PromotionStrategy, PullRequest } from '@interlock/api';
import { Namespace } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { runCli } from './support/cli.js';
import { environments, pendingPromotion, type Template } from './support/promotion-scenario.js';
import { Team } from './support/team.js';
import { needsControllers, tenantName } from './support/test-cluster.js';
import { alone, startFixture, type Fixture } from './support/fixture.js';

/* The garbage collector of a cluster discovers new kinds twice a minute. */
const timeoutMs = 120_000;
let fixture: Fixture;
let template: Template;
let teams = 0;

beforeAll(async () => {
  fixture = await startFixture({ fleet: alone });
  template = await pendingPromotion(join(fixture.folder, 'template.git'));
  fixture.fleet.processes.promoter.start();
});
afterAll(() => fixture.close());

async function newTeam(): Promise<Team> {
  const team = await Team.create(fixture, {
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

/** Returns a team whose pull requests are open and wait for a user. */
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
  return (await fixture.platform.client.list(PullRequest, { namespace: team.name })).items;
}

async function statesAtForge(team: Team): Promise<string[]> {
  return (await fixture.forgeApi.pullRequests(team.repository.fullName)).map(({ state }) => state);
}

/** Deletes a strategy, and waits until garbage collection deletes the pull requests. */
async function deleteStrategyWhileDown(team: Team): Promise<void> {
  await fixture.platform.client.delete(PromotionStrategy, team.strategyKey);
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
    'deleting a strategy closes its pull requests',
    async () => {
      const team = await waitingTeam();
      expect(await statesAtForge(team)).toEqual(['open', 'open']);
      await fixture.platform.client.delete(PromotionStrategy, team.strategyKey);
      await expectAllClosed(team);
    },
    timeoutMs,
  );

  test(
    'deleting a strategy while the promoter is down closes its pull requests',
    async () => {
      const team = await waitingTeam();
      await fixture.fleet.processes.promoter.kill();
      await deleteStrategyWhileDown(team);
      fixture.fleet.processes.promoter.start();
      await expectAllClosed(team);
    },
    timeoutMs,
  );

  test(
    'deleting a strategy closes a pull request whose creation was never answered',
    async () => {
      const team = await newTeam();
      fixture.platform.forge.faults.add({
        match: { method: 'POST', route: '/repos/{owner}/{repo}/pulls' },
        cutAfterEffect: true,
        onHit: () => fixture.fleet.processes.promoter.kill(),
      });
      await createWaitingStrategy(team);
      await eventually(() => expect(fixture.fleet.processes.promoter.running).toBe(false), timeoutMs);
      expect(await statesAtForge(team)).toContain('open');
      await deleteStrategyWhileDown(team);
      fixture.fleet.processes.promoter.start();
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
      await fixture.fleet.processes.promoter.kill();
      await fixture.platform.client.delete(Namespace, { name: team.name });
      await eventually(async () => {
        const known = await pullRequests(team);
        expect(known.map(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([true, true]);
      }, timeoutMs);
      const { code, stdout, stderr } = await runCli(
        fixture,
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
        const { items } = await fixture.platform.client.list(Namespace);
        expect(items.map(({ metadata }) => metadata.name)).not.toContain(team.name);
      }, timeoutMs);
      expect(await statesAtForge(team)).toEqual(['open', 'open']);
      fixture.fleet.processes.promoter.start();
    },
    timeoutMs,
  );
});
