import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  CommitStatus,
  GitRepository,
  keyString,
  PromotionStrategy,
  ProposedCommit,
  PullRequest,
  type Kind,
} from '@interlock/api';
import { eventually } from '@interlock/kube/testing';
import { requestRefresh, type AppName } from '@interlock/stack';
import { isIdle, sum } from './support/idle.js';
import { environments, pendingPromotion } from './support/promotion-scenario.js';
import { RecordingGit } from './support/recording-git.js';
import { report } from './support/status-scenario.js';
import { Team } from './support/team.js';
import { isEmbedded, tenantName } from './support/test-cluster.js';
import { alone, startFixture, type Fixture } from './support/fixture.js';

const timeoutMs = 120_000;
const apps: readonly AppName[] = ['promoter', 'commit-status-sync'];
const inSync = 1000;
let folder: string;
let git: RecordingGit;
let fixture: Fixture;
let team: Team;
let drySHA: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-git-'));
  git = await RecordingGit.create(folder);
  const args = { ...alone.args, promoter: ['--leader-elect=false', `--git=${git.path}`] };
  fixture = await startFixture({ fleet: { args } });
  const template = await pendingPromotion(join(fixture.folder, 'template.git'));
  ({ drySHA } = template);
  team = await Team.create(fixture, { name: tenantName('shop'), template: template.path, environments });
  await team.connect();
  await team.createStrategy();
  await fixture.fleet.start();
  await eventually(async () => expect(await team.missing(drySHA)).toBeUndefined(), timeoutMs);
  await eventually(() => allIdle(), timeoutMs);
}, timeoutMs);

afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});

async function allIdle(): Promise<void> {
  for (const app of apps) expect(await isIdle(fixture.fleet, app)).toBe(true);
  const { items } = await fixture.platform.client.list(CommitStatus, { namespace: team.name });
  for (const { metadata, status } of items) expect(status?.observedGeneration).toBe(metadata.generation);
}

async function refreshes(): Promise<number> {
  const metrics = await fixture.fleet.metrics('promoter');
  const ofRepositories = metrics.split('\n').filter((line) => line.includes('controller="git-repository"'));
  return sum(ofRepositories.join('\n'), 'controller_runtime_reconcile_total');
}

/**
 * Records the reads and writes of the promoter at the API server, without lists and watches, which do not belong to
 * polls.
 */
function observeApiRequests(): string[] {
  const seen: string[] = [];
  fixture.platform.cluster.embedded?.faults.inject({
    when({ info: { verb, resource }, user }) {
      const isPromoter = user?.username.endsWith(':promoter') === true;
      if (isPromoter && verb !== 'list' && verb !== 'watch') seen.push(`${verb} ${resource?.plural ?? ''}`);
      return false;
    },
  });
  return seen;
}

test('a refresh without changed refs starts no git process, makes no SCM call and reads one Secret', async () => {
  const { forge, client } = fixture.platform;
  const apiRequests = observeApiRequests();
  const before = {
    refreshes: await refreshes(),
    starts: (await git.starts()).length,
    seq: forge.journal.seq,
  };
  expect(before.starts).toBeGreaterThan(0);
  await requestRefresh(client, team.strategyKey, Date.now());
  await eventually(async () => expect(await refreshes()).toBe(before.refreshes + 1), timeoutMs);
  await eventually(() => allIdle(), timeoutMs);

  expect(apiRequests).toEqual(isEmbedded ? ['get secrets'] : []);
  const starts = (await git.starts()).slice(before.starts);
  expect(starts).toEqual([]);
  const questions = forge.journal.entries({ since: before.seq, api: 'git' });
  expect(questions.map(({ method, route }) => `${method} ${route}`)).toEqual([
    'POST /{owner}/{repo}.git/git-upload-pack',
  ]);
  expect(forge.journal.entries({ since: before.seq, api: 'rest' })).toEqual([]);
});

/** Returns the resourceVersion of every object of the team. */
async function versions(): Promise<Map<string, string | undefined>> {
  const kinds: Kind[] = [PromotionStrategy, ProposedCommit, PullRequest, GitRepository, CommitStatus];
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const { items } = await fixture.platform.client.list(kind, { namespace: team.name });
      return items.map(({ metadata }): [string, string | undefined] => [
        `${kind.kind} ${keyString(metadata)}`,
        metadata.resourceVersion,
      ]);
    }),
  );
  return new Map(found.flat());
}

/* A thousand copies of one CommitStatus, which share the record of the one that was sent. */
async function addStatusesInSync(): Promise<void> {
  const { client } = fixture.platform;
  const bulk = { namespace: team.name, sha: drySHA, title: 'bulk', phase: 'success' } as const;
  await report(client, { ...bulk, name: 'bulk-0' });
  const status = await eventually(async () => {
    const sent = await client.get(CommitStatus, { namespace: team.name, name: 'bulk-0' });
    expect(sent.status?.phase).toBe('success');
    return sent.status;
  }, timeoutMs);
  await fixture.fleet.stop();
  const names = Array.from({ length: inSync - 1 }, (_, index) => `bulk-${index + 1}`);
  const add = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const { metadata, apiVersion, kind } = await report(client, { ...bulk, name });
      const { namespace = '' } = metadata;
      await client.apply(
        CommitStatus,
        { apiVersion, kind, metadata: { name, namespace }, status },
        { fieldManager: 'commit-status-sync', subresource: 'status' },
      );
    }
  };
  await Promise.all(Array.from({ length: 8 }, add));
}

test(
  'a restart with a thousand CommitStatuses in sync makes no SCM call and changes nothing',
  async () => {
    const { forge } = fixture.platform;
    await addStatusesInSync();
    const before = await versions();
    expect(before.size).toBeGreaterThan(inSync);
    const { seq } = forge.journal;

    fixture.fleet.processes['commit-status-sync'].start();
    await eventually(async () => {
      const metrics = await fixture.fleet.metrics('commit-status-sync');
      expect(sum(metrics, 'controller_runtime_reconcile_total')).toBeGreaterThanOrEqual(inSync);
      expect(await isIdle(fixture.fleet, 'commit-status-sync')).toBe(true);
    }, timeoutMs);
    expect(forge.journal.entries({ since: seq })).toEqual([]);

    fixture.fleet.processes.promoter.start();
    await eventually(() => allIdle(), timeoutMs);
    await eventually(async () => expect(await refreshes()).toBeGreaterThan(0), timeoutMs);
    await eventually(() => allIdle(), timeoutMs);
    const writes = forge.journal.entries({ since: seq, kind: 'write' });
    expect(writes.filter(({ route }) => !route.endsWith('/access_tokens'))).toEqual([]);
    expect(await versions()).toEqual(before);
  },
  timeoutMs,
);
