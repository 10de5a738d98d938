import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { giteaPlugin } from './gitea/plugin.js';
import type { HostRules } from './hosts.js';
import { noopPlugin } from './noop/plugin.js';
import { createScmRegistry, type ScmRegistry, type ScmRegistryOptions } from './registry.js';
import type { ScmConnection, ScmContext, ScmPlugin, ScmRepository } from './scm.js';

/** A server that a tenant chose: it keeps the headers of all requests. */
let catcher: Server;
let url: string;
let caught: IncomingMessage[];
const opened: ScmRegistry[] = [];

beforeAll(async () => {
  caught = [];
  catcher = createServer((request, response) => {
    caught.push(request);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => catcher.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(catcher.address() as AddressInfo).port}`;
});
afterAll(async () => {
  for (const registry of opened) await registry.close();
  await new Promise((resolve) => catcher.close(resolve));
});

function registry(options: Partial<ScmRegistryOptions>): ScmRegistry {
  const made = createScmRegistry({ plugins: [noopPlugin(), giteaPlugin('gitea')], ...options });
  opened.push(made);
  return made;
}

const metadata = { name: 'forge', namespace: 'team' };
const secret = { token: 'canary' };
const providerOf = (spec: object) => ({ kind: 'ClusterScmProvider', metadata: { name: 'forge' }, spec });
const repositoryOf = (spec: object) => ({ metadata, spec });
const everyHost: HostRules = { allowed: [], allowHttp: true, clusterProviders: () => [] };

function dryRun(provider: object, repositoryUrl: string, hosts?: HostRules): ScmRepository {
  return registry(hosts === undefined ? {} : { hosts }).repository(
    providerOf({ noop: provider }),
    secret,
    repositoryOf({ noop: { url: repositoryUrl } }),
  );
}

describe('the credential of a dry run', () => {
  test('is not sent when the provider does not name a host', async () => {
    expect(await dryRun({}, `${url}/acme/web.git`).gitCredentials()).toBeUndefined();
  });

  test.each([
    ['git.example.com', 'https://git.example.com/acme/web.git', 'canary'],
    ['git.example.com', 'https://git.example.com:8443/acme/web.git', undefined],
    ['git.example.com', 'http://git.example.com/acme/web.git', undefined],
    ['git.example.com', 'https://git.example.com.evil.example/acme/web.git', undefined],
    ['git.example.com', 'https://evil.example/git.example.com/web.git', undefined],
  ])('is sent to the host of the provider only: %s, %s', async (domain, repositoryUrl, password) => {
    const credentials = await dryRun({ domain }, repositoryUrl).gitCredentials();
    expect(credentials?.password).toBe(password);
  });

  test('does not change the rest of the repository', async () => {
    const repository = dryRun({}, `${url}/acme/web.git`);
    expect(repository).toMatchObject({ fullName: 'acme/web', readOnly: true });
    expect(await repository.describe()).toEqual({ defaultBranch: 'main', archived: false });
  });
});

describe('a host that is not allowed', () => {
  test('is refused for a repository whose URL names it', () => {
    const hosts = { ...everyHost, allowed: ['git.example.com'] };
    expect(() => dryRun({}, `${url}/acme/web.git`, hosts)).toThrow(
      /^GitRepository forge: the host 127\.0\.0\.1:/,
    );
    expect(dryRun({}, 'https://git.example.com/acme/web.git', hosts).fullName).toBe('acme/web');
  });

  test('is refused for a provider before its credential is read', () => {
    const provider = providerOf({ gitea: { domain: url } });
    const open = (hosts: HostRules) => () => registry({ hosts }).connect(provider, {});
    expect(open(everyHost)).toThrow(expect.objectContaining({ reason: 'HostNotAllowed' }));
    expect(open({ ...everyHost, allowHttp: false })).toThrow(
      expect.objectContaining({ reason: 'HttpNotAllowed' }),
    );
    const cluster = { ...everyHost, clusterProviders: () => [provider] };
    expect(open(cluster)).toThrow(expect.objectContaining({ reason: 'SecretKeyMissing' }));
  });

  test('is refused even if ClusterScmProviders cannot be read', () => {
    const broken = [providerOf({}), providerOf({ gitea: { domain: 'a/b' } }), providerOf({ other: {} })];
    const hosts = { ...everyHost, clusterProviders: () => broken };
    expect(() => registry({ hosts }).connect(providerOf({ gitea: { domain: url } }), secret)).toThrow(
      expect.objectContaining({ reason: 'HostNotAllowed' }),
    );
  });
});

/** Returns a plugin that lets a repository choose where its credential is sent. */
function careless(): ScmPlugin {
  return {
    ...noopPlugin(),
    name: 'careless',
    origins: () => ['https://git.example.com'],
    connect: ({ secret: data }: ScmConnection, context: ScmContext) => ({
      login: () => Promise.resolve(context.dispatcher(url)).then(() => 'nobody'),
      repository: ({ section }) =>
        new CarelessRepository(String(section), data['token'] ?? '') as unknown as ScmRepository,
    }),
  };
}

class CarelessRepository {
  readonly readOnly = true;
  readonly #password: string;

  constructor(
    readonly cloneUrl: string,
    password: string,
  ) {
    this.#password = password;
  }

  get fullName(): string {
    return `with ${this.#password.length} characters`;
  }

  gitCredentials() {
    return Promise.resolve({ username: 'x', password: this.#password });
  }
}

describe('a plugin that uses other servers than its own', () => {
  const open = (repositoryUrl: string) =>
    registry({ plugins: [careless()] }).repository(
      providerOf({ careless: {} }),
      secret,
      repositoryOf({ careless: repositoryUrl }),
    );

  test('gives git a credential for its own servers only', async () => {
    expect(await open('https://git.example.com/a.git').gitCredentials()).toMatchObject({
      password: 'canary',
    });
    const elsewhere = open(`${url}/a.git`);
    expect(await elsewhere.gitCredentials()).toBeUndefined();
    expect(elsewhere.fullName).toBe('with 6 characters');
  });

  test('connects to its own servers only', async () => {
    const scm = registry({ plugins: [careless()] }).connect(providerOf({ careless: {} }), secret);
    expect(() => scm.login()).toThrow(expect.objectContaining({ reason: 'HostNotAllowed' }));
  });
});

test('does not send a credential with a redirect to another host', async () => {
  const redirecting = createServer((_, response) =>
    response.writeHead(307, { location: `${url}/user` }).end(),
  );
  await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
  const domain = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
  const scm = registry({}).connect(providerOf({ gitea: { domain } }), secret);
  await expect(scm.login()).rejects.toMatchObject({ name: 'TypedError' });
  expect(caught).toEqual([]);
  await new Promise((resolve) => redirecting.close(resolve));
});

test('sends the credential of a provider to its servers', async () => {
  const scm = registry({}).connect(providerOf({ gitea: { domain: url } }), secret);
  await scm.login();
  expect(caught.map(({ headers }) => headers.authorization)).toEqual(['token canary']);
});
