import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  CommitStatus,
  EventResponse,
  GitOpsResponderConfig,
  GitRepository,
  PromotionStrategy,
  ProposedCommit,
  PullRequest,
  ScmProvider,
  type Kind,
} from '@interlock/api';
import { Event, Lease, Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { apps, providerName, type AppName } from '@interlock/stack';
import { environments, pendingPromotion } from './support/promotion-scenario.js';
import { RecordingGit } from './support/recording-git.js';
import { rbacRepository, ResponseTenant } from './support/response-scenario.js';
import { Team, webhookSecret } from './support/team.js';
import { namespaces, tenantName } from './support/test-cluster.js';
import { alone, startFixture, type Fixture } from './support/fixture.js';

const timeoutMs = 120_000;
const [shop, answering] = [tenantName('shop'), tenantName('answers')];
const argsOf = (git: RecordingGit) => ({
  promoter: [...(alone.args?.['promoter'] ?? []), `--git=${git.path}`, '--log-level=debug'],
  'commit-status-sync': [...(alone.args?.['commit-status-sync'] ?? []), '--log-level=debug'],
  'gate-controller': [...(alone.args?.['gate-controller'] ?? []), '--log-level=debug'],
  'gitops-responder': [...(alone.args?.['gitops-responder'] ?? []), '--log-level=debug'],
});
let folder: string;
let git: RecordingGit;
let fixture: Fixture;
let team: Team;
let answers: ResponseTenant;
/** Values that may exist only in Secrets, in memory and in the environment of git. */
let canaries: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-git-'));
  git = await RecordingGit.create(folder);
  fixture = await startFixture({ fleet: { args: argsOf(git) } });
  const template = await pendingPromotion(join(fixture.folder, 'template.git'));
  team = await Team.create(fixture, { name: shop, template: template.path, environments });
  const rbac = await rbacRepository(join(fixture.folder, 'rbac.git'));
  answers = await ResponseTenant.create(fixture, answering, rbac);
  await failOnce();
  await sendWebhooks();
  await team.connect();
  await team.createStrategy();
  await answers.configure();
  await fixture.fleet.start();
  await eventually(async () => expect(await answers.isConfigured()).toBe(true), timeoutMs);
  await answers.respond();
  await eventually(
    async () => expect(await answers.status()).toMatchObject({ phase: 'Succeeded' }),
    timeoutMs,
  );
  await eventually(async () => expect(await team.missing(template.drySHA)).toBeUndefined(), timeoutMs);
  await fixture.platform.forge.hooks.idle();
  await fixture.fleet.stop();
  canaries = [webhookSecret, ...privateKeyLines(), ...tokens().flatMap(spellings)];
}, timeoutMs);

afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});

/* One hook has the secret, and another one does not. */
async function sendWebhooks(): Promise<void> {
  const { webhookUrls } = fixture.fleet;
  const hooks = [
    { of: team, url: `${webhookUrls.promoter}/webhooks/${team.name}/${providerName}` },
    { of: answers, url: `${webhookUrls['gitops-responder']}/webhooks/${answers.name}` },
  ];
  for (const { of, url } of hooks) {
    const { owner, name } = of.repository;
    for (const secret of [webhookSecret, 'guessed'])
      await fixture.platform.forge.createHook({ owner, name, url, secret });
  }
}

/* Errors are a frequent source of leaked secrets. */
async function failOnce(): Promise<void> {
  const { faults } = fixture.platform.forge;
  const token = { path: `/api/v3/app/installations/${team.installationId}/access_tokens` };
  faults.add({ match: token, status: 401, body: { message: 'Bad credentials' } });
  const ofAnswers = { method: 'POST', path: `/api/v3/repos/${answering}/*` };
  faults.add({ match: { ...ofAnswers, route: '/repos/{owner}/{repo}/git/commits' }, cutAfterEffect: true });
  faults.add({ match: { ...ofAnswers, route: '/repos/{owner}/{repo}/pulls' }, status: 502 });
  faults.add({ match: { api: 'git' }, status: 500 });
  faults.add({ match: { api: 'git' }, cutBeforeResponse: true });
  faults.add({ match: { method: 'POST', route: '/repos/{owner}/{repo}/pulls' }, status: 502 });
  faults.add({ match: { method: 'POST', route: '/repos/{owner}/{repo}/check-runs' }, cutAfterEffect: true });
}

function privateKeyLines(): string[] {
  return fixture.app.privateKeyPem.split('\n').filter((line) => line.length > 32 && !line.startsWith('--'));
}

/** Returns the tokens that the forge issued to the apps. */
function tokens(): string[] {
  const { state } = fixture.platform.forge.domain.core;
  const ours = [team.installationId, answers.installationId];
  return state.tokens.flatMap(({ installationId, value }) =>
    installationId !== undefined && ours.includes(installationId) ? [value] : [],
  );
}

/** Returns a token in plain text and in the form of HTTP Basic authentication. */
function spellings(token: string): string[] {
  return [token, Buffer.from(`x-access-token:${token}`).toString('base64').replace(/=+$/, '')];
}

/**
 * Texts that the log of an app must contain, so that the correct log is checked. All apps that use the forge receive
 * errors.
 */
const saidBy: Partial<Record<AppName, RegExp>> = { 'gate-controller': /"msg":"controller started"/ };

const found = (text: string): string[] => canaries.filter((canary) => text.includes(canary));

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function contents(path: string): Promise<string> {
  const files = await filesBelow(path);
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}

test('the canaries are in use, and this test finds them at the allowed places', async () => {
  expect(tokens().length).toBeGreaterThanOrEqual(1);
  expect(privateKeyLines().length).toBeGreaterThan(10);
  expect(found(await git.environments())).not.toEqual([]);
  const decoded = async (namespace: string): Promise<string> => {
    const { items } = await fixture.platform.client.list(Secret, { namespace });
    const values = items.flatMap(({ data = {} }) => Object.values(data));
    return values.map((value) => Buffer.from(value, 'base64').toString()).join('\n');
  };
  expect(found(await decoded(team.name))).toEqual(
    expect.arrayContaining([webhookSecret, ...privateKeyLines()]),
  );
  expect(found(await decoded(namespaces.config))).toEqual([webhookSecret, ...privateKeyLines()]);
});

describe('no secret is', () => {
  test.each(apps)('in the log of %s', async (app) => {
    const log = await readFile(join(fixture.folder, 'fleet', app, 'log'), 'utf8');
    expect(log).toMatch(saidBy[app] ?? /"level":"(warn|error)"/);
    expect(found(log)).toEqual([]);
  });

  test.each(['promoter', 'gitops-responder'])('in what %s logs of webhooks', async (app) => {
    const log = await readFile(join(fixture.folder, 'fleet', app, 'log'), 'utf8');
    expect(log).toMatch(/"level":"debug".*"msg":"webhook"/);
    expect(log).not.toContain('guessed');
  });

  test.each<[string, Kind, string]>([
    ['EventResponse', EventResponse, ''],
    ['GitOpsResponderConfig', GitOpsResponderConfig, namespaces.config],
    ['Event about a response', Event, 'default'],
    ['PromotionStrategy', PromotionStrategy, shop],
    ['ProposedCommit', ProposedCommit, shop],
    ['PullRequest', PullRequest, shop],
    ['CommitStatus', CommitStatus, shop],
    ['GitRepository', GitRepository, shop],
    ['ScmProvider', ScmProvider, shop],
    ['Event', Event, shop],
    ['Lease', Lease, namespaces.system],
  ])('in a %s', async (name, kind, namespace) => {
    const { items } = await fixture.platform.client.list(kind, namespace === '' ? {} : { namespace });
    if (name !== 'Lease') expect(items).not.toEqual([]);
    expect(found(JSON.stringify(items))).toEqual([]);
  });

  test('in the arguments of git', async () => {
    const starts = await git.starts();
    expect(starts.length).toBeGreaterThan(5);
    expect(found(starts.join('\n'))).toEqual([]);
  });

  test('in the mirrors on disk', async () => {
    const cache = join(fixture.folder, 'fleet/promoter/cache');
    expect((await filesBelow(cache)).length).toBeGreaterThan(5);
    expect(found(await contents(cache))).toEqual([]);
  });

  test('in the pull requests and checks of the forge', async () => {
    for (const { repository } of [team, answers]) {
      const path = `/repos/${repository.fullName}/pulls?state=all`;
      const pullRequests = await fixture.forgeApi.call('GET', path);
      expect(pullRequests).not.toEqual([]);
      expect(found(JSON.stringify(pullRequests))).toEqual([]);
    }
    const log = await team.local.git(['log', '--all', '--format=%B']);
    expect(log).toContain('Sha-dry-proposed');
    expect(found(log)).toEqual([]);
  });
});
