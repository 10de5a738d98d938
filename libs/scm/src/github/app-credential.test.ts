import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createScmRegistry, type ScmRegistry } from '../registry.js';
import type { ScmRepository } from '../scm.js';
import { GithubForge, resourceOf, type Tenant } from '../testing/github-forge.js';
import { User } from '../testing/github-user.js';
import { ScriptedServer, type ScriptedAnswer, type SeenRequest } from '../testing/scripted-server.js';
import { githubPlugin } from './plugin.js';
import { useClosing } from '../testing/use-closing.js';
import { useForge } from '../testing/use-forge.js';

const minute = 60_000;
const mints = '/app/installations/{installation_id}/access_tokens';
const discoveries = '/repos/{owner}/{repo}/installation';

const github = useForge(() => GithubForge.start());
let tenant: Tenant;
let registry: ScmRegistry;
let since: number;
const closing = useClosing();

beforeEach(async () => {
  tenant = await github().tenant('app');
  registry = createScmRegistry({ plugins: [githubPlugin()], clock: github().clock, random: () => 0 });
  since = github().forge.journal.seq;
});
afterEach(() => registry.close());

interface Setup {
  installationID?: number | undefined;
  privateKey?: string;
  gitRepository?: Tenant['gitRepository'];
}

function providerOf(github: Record<string, unknown> = {}) {
  const { provider } = tenant;
  return { ...provider, spec: { github: { ...provider.spec.github, ...github } } };
}

function open(setup: Setup = {}): ScmRepository {
  const { installationID, privateKey, gitRepository = tenant.gitRepository } = setup;
  const provider = providerOf(installationID === undefined ? {} : { installationID });
  const secret = privateKey === undefined ? tenant.secret : { githubAppPrivateKey: privateKey };
  return registry.repository(provider, secret, gitRepository);
}

/** Returns the repository with a given installation, without discovery. */
const openInstalled = (setup: Setup = {}) => open({ installationID: tenant.installationId, ...setup });
const count = (route: string): number => github().forge.journal.count({ since, route });
const minted = (): number =>
  github()
    .forge.journal.entries({ since, route: mints })
    .filter(({ status }) => status === 201).length;
const settled = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

/** Returns a user with the password for git that a repository returns. */
async function holderOf(repository: ScmRepository): Promise<User> {
  const token = (await repository.gitCredentials())?.password ?? '';
  return new User(github().forge, { id: 0, login: tenant.login, token });
}

const granted = { pull_requests: 'write', checks: 'read', statuses: 'read' };

/** Returns the answer of a server with one installation, whose tokens are the permissions that they have. */
function answerOf(
  { id, permissions }: { id: number; permissions: Record<string, string> },
  { path, body, headers }: SeenRequest,
): ScriptedAnswer {
  if (path.endsWith(`/installations/${id}`)) return { body: { id, permissions } };
  if (path.endsWith('/access_tokens')) {
    const { permissions: wanted } = JSON.parse(body) as { permissions: Record<string, string> };
    const isGranted = Object.keys(wanted).every((name) => name in permissions);
    if (!isGranted) return { status: 422, body: { message: 'The permissions requested are not granted' } };
    const now = github().clock.now();
    const expires = new Date(now + 60 * minute).toISOString();
    return {
      status: 201,
      headers: { date: new Date(now).toUTCString() },
      body: { token: Object.keys(wanted).join('-'), expires_at: expires },
    };
  }
  if (!String(headers.authorization).includes('pull_requests')) {
    return { status: 403, body: { message: 'Resource not accessible by integration' } };
  }
  const repo = { id: 1 };
  return { status: 201, body: { number: 1, labels: [], head: { repo }, base: { repo } } };
}

function strangeKey(): string {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
}

describe('the token of an installation', () => {
  test.each(['pkcs1', 'pkcs8'] as const)('is obtained with a key in %s', async (type) => {
    const key = createPrivateKey(github().app.privateKeyPem);
    const repository = open({ privateKey: key.export({ type, format: 'pem' }).toString() });
    expect(await repository.describe()).toMatchObject({ defaultBranch: 'main' });
    expect(await repository.gitCredentials()).toEqual({
      username: 'x-access-token',
      password: expect.stringMatching(/^ghs_/),
    });
  });

  test('is requested once for a repository by concurrent callers, in any connection', async () => {
    const { owner } = tenant.repository;
    for (const name of ['api', 'docs']) await github().forge.createRepository({ owner, name });
    const repositories = ['web', 'api', 'docs', 'Web'].map((name) =>
      open({ gitRepository: resourceOf({ owner, name }) }),
    );
    await Promise.all([...repositories, ...repositories].map((repository) => repository.describe()));
    expect(count(mints)).toBe(3);
    expect(count(discoveries)).toBe(1);
  });

  test('is limited to its repository', async () => {
    const { owner } = tenant.repository;
    await github().forge.createRepository({ owner, name: 'api' });
    const holder = await holderOf(openInstalled());
    await holder.ask('GET /repos/{owner}/{repo}', { owner, repo: 'web' });
    expect(await settled(holder.ask('GET /repos/{owner}/{repo}', { owner, repo: 'api' }))).toMatchObject({
      status: 404,
    });
  });

  test('has only the permissions that the process needs', async () => {
    const statuses = closing(
      createScmRegistry({
        plugins: [githubPlugin()],
        uses: ['statuses'],
        clock: github().clock,
        random: () => 0,
      }),
    );
    const repository = statuses.repository(providerOf(), tenant.secret, tenant.gitRepository);
    const holder = await holderOf(repository);
    const at = { owner: tenant.repository.owner, repo: 'web' };
    expect(await settled(holder.ask('GET /repos/{owner}/{repo}/pulls', at))).toMatchObject({ status: 403 });
    const writer = await holderOf(open());
    await writer.ask('GET /repos/{owner}/{repo}/pulls', at);
  });

  test('of an App with fewer permissions has the granted permissions, which are read once', async () => {
    const { owner } = tenant.repository;
    const permissions = { contents: 'read', checks: 'write' } as const;
    const app = await github().forge.createApp({ owner, name: `Less of ${owner}`, permissions });
    const spec = { domain: github().forge.url, appID: app.appId, installationID: app.installationId };
    const secret = { githubAppPrivateKey: app.privateKeyPem };
    await github().forge.createRepository({ owner, name: 'api' });
    for (const name of ['web', 'api']) {
      const gitRepository = resourceOf({ owner, name });
      const provider = { ...tenant.provider, spec: { github: spec } };
      expect(await registry.repository(provider, secret, gitRepository).describe()).toMatchObject({
        defaultBranch: 'main',
      });
    }
    expect(count('/app/installations/{installation_id}')).toBe(1);
    expect(count(mints)).toBe(3);
    expect(minted()).toBe(2);
  });

  test('of a repository that the installation cannot access is NotFound', async () => {
    const { owner } = tenant.repository;
    const gitRepository = resourceOf({ owner, name: 'none' });
    const id = tenant.installationId;
    expect(await settled(openInstalled({ gitRepository }).describe())).toMatchObject({
      type: 'NotFound',
      message: `installation ${id} of the GitHub App ${github().app.appId} has no access to ${owner}/none; correct the repository in the GitRepository, or grant the installation access to it`,
    });
  });

  test('is requested without discovery when the installation is given', async () => {
    await openInstalled().describe();
    expect(count(discoveries)).toBe(0);
  });

  async function expectRenewalAfter50Minutes(first: number, use: () => Promise<unknown>): Promise<void> {
    await github().clock.advance(49 * minute);
    await use();
    expect(minted()).toBe(first);
    await github().clock.advance(2 * minute);
    await use();
    expect(minted()).toBe(first + 1);
  }

  test('is renewed before it expires, by the clock of the server', async () => {
    github().ahead = 3 * minute;
    const repository = openInstalled();
    await repository.describe();
    await expectRenewalAfter50Minutes(minted(), () => repository.describe());
  });

  test.each([-180, 180])(
    'is renewed at the same time when the local clock is off by %d minutes',
    async (minutes) => {
      const repository = openInstalled();
      await repository.gitCredentials();
      const first = minted();
      github().clock.set(minutes * minute);
      github().ahead = -minutes * minute;
      await expectRenewalAfter50Minutes(first, () => repository.gitCredentials());
    },
  );

  test('is still used when its renewal fails temporarily', async () => {
    const repository = openInstalled();
    const first = await repository.gitCredentials();
    await github().clock.advance(55 * minute);
    github().forge.faults.add({ match: { route: mints }, times: 2, status: 503, body: { message: 'down' } });
    expect(await repository.gitCredentials()).toEqual(first);
    await github().clock.advance(6 * minute);
    expect(await settled(repository.gitCredentials())).toMatchObject({ type: 'Transient' });
    expect(await repository.gitCredentials()).not.toEqual(first);
  });

  test('that GitHub no longer accepts is replaced once, and the call is repeated', async () => {
    const repository = openInstalled();
    const installation = await holderOf(repository);
    await installation.ask('DELETE /installation/token', {});
    expect(await repository.describe()).toMatchObject({ defaultBranch: 'main' });
    expect(minted()).toBe(2);
    const route = '/repos/{owner}/{repo}';
    github().forge.faults.add({
      match: { route },
      times: 3,
      status: 401,
      body: { message: 'Bad credentials' },
    });
    expect(await settled(repository.describe())).toMatchObject({ type: 'Unauthorized' });
    expect(minted()).toBe(3);
    expect(count(route)).toBe(4);
  });

  test('has a permission as soon as the owner of the installation grants it', async () => {
    const installation = { id: 7, permissions: { metadata: 'read', contents: 'write' } };
    const server = closing(await ScriptedServer.start((request) => answerOf(installation, request)));
    const provider = providerOf({ domain: server.url, installationID: installation.id });
    const repository = registry.repository(provider, tenant.secret, tenant.gitRepository);
    const wanted = { head: 'a', base: 'b', title: 't', body: '' };
    const calls = (path: string): number => server.seen.filter((seen) => seen.path.endsWith(path)).length;
    for (let times = 1; times <= 3; times++) {
      const refused = await settled(repository.createPullRequest(wanted));
      expect(refused).toMatchObject({ reason: 'Forbidden' });
      expect(calls('/installations/7')).toBe(1);
    }
    await github().clock.advance(2 * minute);
    expect(await settled(repository.createPullRequest(wanted))).toMatchObject({ reason: 'Forbidden' });
    expect(calls('/installations/7')).toBe(2);
    installation.permissions = { ...installation.permissions, ...granted };
    await github().clock.advance(2 * minute);
    expect(await repository.createPullRequest(wanted)).toMatchObject({ id: 1 });
    expect(calls('/pulls')).toBe(7);
  });

  test('of a reinstalled App is found again', async () => {
    const repository = open();
    const first = await repository.gitCredentials();
    await github().uninstall(tenant.installationId!);
    await github().forge.installApp({ appId: github().app.appId, owner: tenant.repository.owner });
    expect(await repository.describe()).toMatchObject({ defaultBranch: 'main' });
    expect(await repository.gitCredentials()).not.toEqual(first);
    expect(count(discoveries)).toBe(2);
  });

  test('of an App that is not installed is NotFound, and is obtained once the App is installed', async () => {
    await github().uninstall(tenant.installationId!);
    const repository = open();
    expect(await settled(repository.describe())).toMatchObject({ type: 'NotFound' });
    await github().forge.installApp({ appId: github().app.appId, owner: tenant.repository.owner });
    expect(await repository.describe()).toMatchObject({ defaultBranch: 'main' });
  });

  test('is not provided to a tenant that has only the ids of the App', async () => {
    await openInstalled().describe();
    const thief = openInstalled({ privateKey: strangeKey() });
    expect(await settled(thief.describe())).toMatchObject({ type: 'Unauthorized' });
    expect(await settled(thief.gitCredentials())).toMatchObject({ type: 'Unauthorized' });
  });

  test('of one host is never sent to another host with the same ids', async () => {
    const other = closing(
      await ScriptedServer.start(() => ({
        status: 201,
        body: { token: 'ghs_other', expires_at: new Date(github().clock.now() + 60 * minute).toISOString() },
      })),
    );
    const provider = providerOf({ domain: other.url, installationID: tenant.installationId });
    const there = registry.repository(provider, tenant.secret, tenant.gitRepository);
    const password = (await openInstalled().gitCredentials())?.password ?? '';
    expect(await there.gitCredentials()).toMatchObject({ password: 'ghs_other' });
    expect(JSON.stringify(other.seen)).not.toContain(password);
  });

  test('is awaited no longer than the signal allows, while others continue waiting', async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const abort = new AbortController();
    const onHit = () => {
      abort.abort(new Error('stop'));
      return gate;
    };
    github().forge.faults.add({ match: { route: mints }, onHit });
    const repository = openInstalled();
    const impatient = settled(repository.gitCredentials({ signal: abort.signal }));
    const patient = repository.gitCredentials();
    expect(await impatient).toMatchObject({ message: 'stop' });
    go();
    expect(await patient).toMatchObject({ password: expect.stringMatching(/^ghs_/) });
    expect(count(mints)).toBe(1);
  });
});

describe('the signature of the App', () => {
  test.each([-20 * minute, -2 * minute, 2 * minute, 20 * minute])(
    'uses the clock of GitHub when it is %i ms ahead of the local clock',
    async (ahead) => {
      github().ahead = ahead;
      expect(await open().describe()).toMatchObject({ defaultBranch: 'main' });
    },
  );

  test('with the wrong key is refused once, and not retried', async () => {
    const error = await settled(openInstalled({ privateKey: strangeKey() }).describe());
    expect(error).toMatchObject({ type: 'Unauthorized', reason: 'BadCredentials' });
    expect(count(mints)).toBe(1);
  });

  test('with a value that is not a key fails without quoting the value', async () => {
    const error = await settled(open({ privateKey: 'canary' }).describe());
    expect(error).toMatchObject({ type: 'Unauthorized', reason: 'InvalidSecret' });
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('canary');
    expect(github().forge.journal.seq).toBe(since);
  });
});

test('reports the bot of an App as the login', async () => {
  const scm = registry.connect(providerOf(), tenant.secret);
  expect(await scm.login()).toBe(tenant.login);
  expect(await scm.login()).toBe(tenant.login);
  expect(count('/app')).toBe(1);
});
