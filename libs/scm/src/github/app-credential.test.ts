import { createVerify, generateKeyPairSync } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createScmRegistry, type ScmRegistry } from '../registry.js';
import type { ScmRepository } from '../scm.js';
import { FakeClock } from '../testing/fake-clock.js';
import { ScriptedServer, type ScriptedAnswer, type SeenRequest } from '../testing/scripted-server.js';
import { githubPlugin } from './plugin.js';

const pair = (type: 'pkcs1' | 'pkcs8') =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type, format: 'pem' },
  });
const keys = pair('pkcs1');
const otherKeys = pair('pkcs8');
const minute = 60_000;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The part of GitHub that authenticates Apps: one App, installed for one owner. */
class AppServer {
  readonly clock = new FakeClock();
  /** Milliseconds by which GitHub's clock is ahead of ours. */
  ahead = 0;
  installation = 11;
  installed = true;
  minted = 0;
  revoked = new Set<string>();
  publicKey = keys.publicKey;
  /** Overrides the answer. */
  intercept: (request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer> | undefined = () => undefined;
  http!: ScriptedServer;

  get now(): number {
    return this.clock.now() + this.ahead;
  }

  async start(): Promise<this> {
    this.http = await ScriptedServer.start(async (request) => {
      const answer = (await this.intercept(request)) ?? this.answer(request);
      return { ...answer, headers: { date: new Date(this.now).toUTCString(), ...answer.headers } };
    });
    closers.push(() => this.http.close());
    return this;
  }

  seen(path: RegExp): number {
    return this.http.seen.filter((request) => path.test(request.path)).length;
  }

  private answer({ path, headers }: SeenRequest): ScriptedAnswer {
    const bearer = String(headers['authorization']).replace('Bearer ', '');
    if (path.endsWith('/installation') || path.includes('/app')) {
      const refused = this.checkJwt(bearer);
      if (refused !== undefined) return { status: 401, body: { message: refused } };
    }
    if (path.endsWith('/app')) return { body: { slug: 'interlock' } };
    if (path.endsWith('/installation'))
      return this.installed ? { body: { id: this.installation } } : notFound;
    const minting = /\/installations\/(\d+)\/access_tokens$/.exec(path);
    if (minting !== null) {
      if (!this.installed || Number(minting[1]) !== this.installation) return notFound;
      this.minted += 1;
      const expires = new Date(this.now + 60 * minute).toISOString();
      return { status: 201, body: { token: `ghs_${this.installation}_${this.minted}`, expires_at: expires } };
    }
    const known = bearer.startsWith(`ghs_${this.installation}_`) && !this.revoked.has(bearer);
    if (!known) return { status: 401, body: { message: 'Bad credentials' } };
    return { body: { default_branch: 'main', archived: false } };
  }

  private checkJwt(jwt: string): string | undefined {
    const [header = '', payload = '', signature = ''] = jwt.split('.');
    const verify = createVerify('RSA-SHA256').update(`${header}.${payload}`);
    if (!verify.verify(this.publicKey, signature, 'base64url'))
      return 'A JSON web token could not be decoded';
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, number>;
    const now = this.now / 1000;
    if ((claims['iat'] ?? Infinity) > now) return "'Issued at' claim ('iat') must be in the past";
    if ((claims['exp'] ?? 0) > now + 600) return "'Expiration time' claim ('exp') is too far in the future";
    if ((claims['exp'] ?? 0) < now) return "'Expiration time' claim ('exp') must be a numeric value";
    return claims['iss'] === 7 ? undefined : 'Integration not found';
  }
}

const notFound: ScriptedAnswer = { status: 404, body: { message: 'Not Found' } };

function registryFor(server: AppServer): ScmRegistry {
  const registry = createScmRegistry({ plugins: [githubPlugin()], clock: server.clock, random: () => 0 });
  closers.push(() => registry.close());
  return registry;
}

interface Setup {
  registry?: ScmRegistry;
  installationID?: number;
  privateKey?: string;
  name?: string;
}

const provider = (server: AppServer, installationID?: number) => ({
  kind: 'ScmProvider',
  metadata: { name: 'acme', namespace: 'team' },
  spec: {
    github: {
      domain: server.http.url,
      appID: 7,
      ...(installationID === undefined ? {} : { installationID }),
    },
  },
});

function repositoryOf(server: AppServer, setup: Setup = {}): ScmRepository {
  const {
    registry = registryFor(server),
    installationID,
    privateKey = keys.privateKey,
    name = 'web',
  } = setup;
  return registry.repository(
    provider(server, installationID),
    { githubAppPrivateKey: privateKey },
    { metadata: { name, namespace: 'team' }, spec: { github: { owner: 'acme', name } } },
  );
}

const mints = /access_tokens$/;
const discoveries = /\/installation$/;
const settled = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('the token of an installation', () => {
  test.each(['pkcs1', 'pkcs8'] as const)('is got with a key in %s', async (type) => {
    const server = await new AppServer().start();
    const own = pair(type);
    server.publicKey = own.publicKey;
    const repository = repositoryOf(server, { privateKey: own.privateKey });
    expect(await repository.describe()).toMatchObject({ defaultBranch: 'main' });
    expect(await repository.gitCredentials()).toEqual({ username: 'x-access-token', password: 'ghs_11_1' });
  });

  test('is asked for once by callers at the same moment, in whichever connection', async () => {
    const server = await new AppServer().start();
    const registry = registryFor(server);
    const repositories = ['web', 'api', 'docs'].map((name) => repositoryOf(server, { registry, name }));
    await Promise.all([...repositories, ...repositories].map((repository) => repository.describe()));
    expect(server.minted).toBe(1);
    expect(server.seen(discoveries)).toBe(1);
  });

  test('needs no discovery when the installation is given', async () => {
    const server = await new AppServer().start();
    await repositoryOf(server, { installationID: 11 }).describe();
    expect(server.seen(discoveries)).toBe(0);
  });

  test('is renewed before it expires, by the clock of the server', async () => {
    const server = await new AppServer().start();
    server.ahead = 3 * minute;
    const repository = repositoryOf(server, { installationID: 11 });
    await repository.describe();
    await server.clock.advance(49 * minute);
    await repository.describe();
    expect(server.minted).toBe(1);
    await server.clock.advance(2 * minute);
    await repository.describe();
    expect(server.minted).toBe(2);
  });

  test('is used on when its renewal fails for now', async () => {
    const server = await new AppServer().start();
    const repository = repositoryOf(server, { installationID: 11 });
    await repository.describe();
    await server.clock.advance(55 * minute);
    server.intercept = ({ path }) =>
      mints.test(path) ? { status: 503, body: { message: 'down' } } : undefined;
    expect(await repository.gitCredentials()).toMatchObject({ password: 'ghs_11_1' });
    await server.clock.advance(6 * minute);
    expect(await settled(repository.gitCredentials())).toMatchObject({ type: 'Transient' });
  });

  test('that GitHub no longer knows is replaced once, and the call repeated', async () => {
    const server = await new AppServer().start();
    const repository = repositoryOf(server, { installationID: 11 });
    await repository.describe();
    server.revoked.add('ghs_11_1');
    expect(await repository.describe()).toMatchObject({ defaultBranch: 'main' });
    expect(server.minted).toBe(2);
    server.intercept = ({ path }) =>
      path.endsWith('/web') ? { status: 401, body: { message: 'Bad' } } : undefined;
    expect(await settled(repository.describe())).toMatchObject({ type: 'Unauthorized' });
    expect(server.minted).toBe(3);
  });

  test('of a reinstalled App is found anew', async () => {
    const server = await new AppServer().start();
    const repository = repositoryOf(server);
    await repository.describe();
    server.installation = 12;
    expect(await repository.describe()).toMatchObject({ defaultBranch: 'main' });
    expect(await repository.gitCredentials()).toMatchObject({ password: 'ghs_12_2' });
    expect(server.seen(discoveries)).toBe(2);
  });

  test('of an App that is not installed is NotFound, and works once it is', async () => {
    const server = await new AppServer().start();
    server.installed = false;
    const repository = repositoryOf(server);
    expect(await settled(repository.describe())).toMatchObject({ type: 'NotFound' });
    server.installed = true;
    expect(await repository.describe()).toMatchObject({ defaultBranch: 'main' });
  });

  test('is not given to who knows only the numbers of the App', async () => {
    const server = await new AppServer().start();
    const registry = registryFor(server);
    await repositoryOf(server, { registry, installationID: 11 }).describe();
    const thief = repositoryOf(server, { registry, installationID: 11, privateKey: otherKeys.privateKey });
    expect(await settled(thief.describe())).toMatchObject({ type: 'Unauthorized' });
    expect(await settled(thief.gitCredentials())).toMatchObject({ type: 'Unauthorized' });
  });

  test('of one host is never used at another with the same numbers', async () => {
    const [one, two] = [await new AppServer().start(), await new AppServer().start()];
    const registry = registryFor(one);
    const credentials = await Promise.all(
      [one, two].map((server) => repositoryOf(server, { registry, installationID: 11 }).gitCredentials()),
    );
    expect(credentials).toHaveLength(2);
    expect([one.minted, two.minted]).toEqual([1, 1]);
  });

  test('is awaited no longer than the signal allows, while others go on waiting', async () => {
    const server = await new AppServer().start();
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const abort = new AbortController();
    server.intercept = ({ path }) => {
      if (!mints.test(path)) return undefined;
      abort.abort(new Error('stop'));
      return gate.then(() => ({
        status: 201,
        body: { token: 'ghs_11_x', expires_at: new Date(server.now + 60 * minute).toISOString() },
      }));
    };
    const repository = repositoryOf(server, { installationID: 11 });
    const impatient = settled(repository.gitCredentials({ signal: abort.signal }));
    const patient = repository.gitCredentials();
    expect(await impatient).toMatchObject({ message: 'stop' });
    open();
    expect(await patient).toMatchObject({ password: 'ghs_11_x' });
    expect(server.seen(mints)).toBe(1);
  });
});

describe('the signature of the App', () => {
  test.each([-20 * minute, -2 * minute, 2 * minute, 20 * minute])(
    'is made by the clock of GitHub when that is %i ms ahead of ours',
    async (ahead) => {
      const server = await new AppServer().start();
      server.ahead = ahead;
      expect(await repositoryOf(server).describe()).toMatchObject({ defaultBranch: 'main' });
    },
  );

  test('with the wrong key is refused once, not tried again and again', async () => {
    const server = await new AppServer().start();
    const repository = repositoryOf(server, { privateKey: otherKeys.privateKey, installationID: 11 });
    const error = await settled(repository.describe());
    expect(error).toMatchObject({ type: 'Unauthorized', reason: 'BadCredentials' });
    expect(server.seen(mints)).toBeLessThanOrEqual(1);
  });

  test('with something that is no key fails without quoting it', async () => {
    const server = await new AppServer().start();
    const error = await settled(repositoryOf(server, { privateKey: 'canary' }).describe());
    expect(error).toMatchObject({ type: 'Unauthorized', reason: 'InvalidSecret' });
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('canary');
    expect(server.http.seen).toHaveLength(0);
  });
});

test('an App acts as its bot', async () => {
  const server = await new AppServer().start();
  const scm = registryFor(server).connect(provider(server), { githubAppPrivateKey: keys.privateKey });
  expect(await scm.login()).toBe('interlock[bot]');
  expect(await scm.login()).toBe('interlock[bot]');
  expect(server.seen(/\/app$/)).toBe(1);
  expect(scm.capabilities.richStatuses).toBe(true);
});
