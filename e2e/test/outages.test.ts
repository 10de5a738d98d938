import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { CommitStatus } from '@interlock/api';
import type { FaultRule } from '@interlock/forge';
import { eventually } from '@interlock/kube/testing';
import { requestRefresh } from '@interlock/stack';
import { HydratedRepository } from './support/hydrated-repository.js';
import { Team } from './support/team.js';
import { needsEmbedded, tenantName } from './support/test-cluster.js';
import { alone, embeddedOf, startFixture, type Fixture } from './support/fixture.js';

const timeoutMs = 180_000;
const environments = ['environments/dev', 'environments/prod'];
const unreachable = 1_000_000;
let fixture: Fixture;
let repository: HydratedRepository;
let team: Team;
let changes = 0;

beforeAll(async () => {
  fixture = await startFixture({ fleet: alone });
  repository = await HydratedRepository.create(join(fixture.folder, 'source.git'));
  const first = await repository.commitDry('Open the shop');
  for (const environment of environments) {
    await repository.hydrate(environment, first, 'tea');
    await repository.promote(environment);
  }
  team = await Team.create(fixture, {
    name: tenantName('shop'),
    template: repository.local.path,
    environments,
  });
  await team.connect();
  await team.createStrategy();
  await fixture.fleet.start();
  await eventually(
    async () => expect((await team.strategy()).status?.environments).toHaveLength(2),
    timeoutMs,
  );
}, timeoutMs);

afterEach(() => {
  fixture.platform.forge.faults.clear();
  fixture.platform.cluster.embedded?.faults.clear();
});
afterAll(() => fixture.close());

/** Pushes a change as a hydrator does, and requests a refresh. @returns the dry commit */
async function push(): Promise<string> {
  const drySHA = await repository.commitDry(`Change ${++changes}`);
  for (const environment of environments) {
    await repository.hydrate(environment, drySHA, `${environment} ${changes}`);
  }
  const branches = ['main', ...environments.map((branch) => `${branch}-next`)];
  await repository.local.git(['push', '--quiet', team.repository.path, ...branches]);
  await requestRefresh(fixture.platform.client, team.strategyKey, Date.now());
  return drySHA;
}

const arrivesEverywhere = (drySHA: string): Promise<void> =>
  eventually(async () => expect(await team.missing(drySHA)).toBeUndefined(), timeoutMs);

/**
 * Checks that each environment received each change with one pull request, and that each check is reported once for
 * its commit.
 */
async function expectNothingTwice(): Promise<void> {
  const pullRequests = await fixture.forgeApi.pullRequests(team.repository.fullName);
  const heads = pullRequests.map(({ base, head }) => `${base.ref} ${head.sha}`);
  expect(new Set(heads).size).toBe(heads.length);
  expect(heads).toHaveLength(changes * environments.length);
  expect(pullRequests.filter(({ merged_at }) => merged_at === null)).toEqual([]);

  const { client } = fixture.platform;
  await eventually(async () => {
    const { items } = await client.list(CommitStatus, { namespace: team.name });
    for (const { metadata, status } of items) expect(status?.observedGeneration).toBe(metadata.generation);
  }, timeoutMs);
  for (const { head } of pullRequests) {
    const runs = await fixture.forgeApi.checkRuns(team.repository.fullName, head.sha);
    const names = runs.map(({ name }) => name);
    expect(names).not.toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  }
}

/** Resolves when the apps have made a call that `hits` counts. */
const tried = (hits: () => number): Promise<void> =>
  eventually(() => expect(hits()).toBeGreaterThanOrEqual(5), timeoutMs);

test.each<[string, FaultRule]>([
  ['cannot be reached', { cutBeforeResponse: true }],
  ['executes requests, but its responses are lost', { match: { kind: 'write' }, cutAfterEffect: true }],
  ['returns errors', { match: { api: 'rest' }, status: 503 }],
])(
  'a change is promoted everywhere, once, after the forge %s for a while',
  async (_case, outage) => {
    const fault = fixture.platform.forge.faults.add({ ...outage, times: unreachable });
    const drySHA = await push();
    await tried(() => fault.hits);
    fault.remove();
    await arrivesEverywhere(drySHA);
    await expectNothingTwice();
  },
  timeoutMs,
);

needsEmbedded('the test makes the API server fail and restart', () => {
  test(
    'a change is promoted everywhere, once, after the API server does not respond for a while',
    async () => {
      const embedded = embeddedOf(fixture);
      const drySHA = await push();
      let hits = 0;
      const end = embedded.faults.inject({
        when: ({ user }) => user?.username.startsWith('system:serviceaccount:') === true && ++hits > 0,
        cutAfterBytes: 0,
      });
      embedded.faults.cut();
      await tried(() => hits);
      end();
      await arrivesEverywhere(drySHA);
      await expectNothingTwice();
    },
    timeoutMs,
  );

  test(
    'a change is promoted everywhere, once, even if the API server is restarted at each step',
    async () => {
      const { forge } = fixture.platform;
      const embedded = embeddedOf(fixture);
      const { seq } = forge.journal;
      const count = (method: string, route: string) => () =>
        forge.journal.count({ since: seq, method, route });
      const opened = count('POST', '/repos/{owner}/{repo}/pulls');
      const merged = count('PUT', '/repos/{owner}/{repo}/pulls/{pull_number}/merge');
      const drySHA = await push();
      await embedded.restart();
      for (const [calls, atLeast] of [
        [opened, 1],
        [opened, 2],
        [merged, 1],
        [merged, 2],
      ] as const) {
        await eventually(() => expect(calls()).toBeGreaterThanOrEqual(atLeast), timeoutMs);
        await embedded.restart();
      }
      await arrivesEverywhere(drySHA);
      await expectNothingTwice();
    },
    timeoutMs,
  );
});
