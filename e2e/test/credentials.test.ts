import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ClusterScmProvider,
  CommitStatus,
  GitOpsResponderConfig,
  GitRepository,
  PromotionStrategy,
  ScmProvider,
  type CustomKind,
  type KubeObject,
} from '@interlock/api';
import { Secret, ServiceAccount } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { ensureNamespace } from '@interlock/stack';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { namespaces, tenantName } from './support/test-cluster.js';
import { alone, startFixture, type Fixture } from './support/fixture.js';

const timeoutMs = 120_000;
const sha = 'a'.repeat(40);
const [tenant, central] = [tenantName('catcher'), tenantName('central')];

/** A request to the server that a tenant chose. */
interface Caught {
  url: string;
  authorization: string | undefined;
}

/** A server that implements neither git nor the API of an SCM, and records its requests. */
let catcher: Server;
let catcherUrl: string;
let caught: Caught[] = [];
let fixture: Fixture;

beforeAll(async () => {
  catcher = createServer(({ url = '', headers }, response) => {
    caught.push({ url, authorization: headers.authorization });
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => catcher.listen(0, '127.0.0.1', resolve));
  catcherUrl = `http://127.0.0.1:${(catcher.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await fixture.close();
  caught = [];
});
afterAll(() => new Promise((resolve) => catcher.close(resolve)));

async function start(args: readonly string[]): Promise<void> {
  const appArgs = Object.entries(alone.args ?? {}).map(([app, own]) => [
    app,
    app === 'gate-controller' ? own : [...own, ...args],
  ]);
  const fleetArgs = Object.fromEntries(appArgs) as Record<string, readonly string[]>;
  fixture = await startFixture({ fleet: { args: fleetArgs, forgeUrl: undefined } });
  for (const name of [tenant, central]) await ensureNamespace(fixture.platform.client, name);
  await createResources();
  await fixture.fleet.start();
}

function apply<T extends KubeObject>(
  kind: CustomKind<T>,
  name: string,
  namespace: string | undefined,
  spec: object,
) {
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  return fixture.platform.client.apply(kind, { metadata, spec }, { fieldManager: 'test' });
}

async function createSecret(name: string, namespace: string): Promise<void> {
  const object = { metadata: { name, namespace }, stringData: { token: `canary-${name}` } };
  await fixture.platform.client.apply(Secret, object, { fieldManager: 'test' });
}

/** Creates a repository at the catcher that the apps read, and a status for it. */
async function createRepository(name: string, scmProviderRef: object, section: object): Promise<void> {
  await apply(GitRepository, name, tenant, { scmProviderRef, ...section });
  await apply(PromotionStrategy, name, tenant, {
    repoRef: { name },
    dryBranch: 'main',
    environments: [{ branch: 'env/dev' }],
  });
  await apply(CommitStatus, name, tenant, { repoRef: { name }, sha, name, phase: 'success' });
}

/** Creates all objects that name the catcher, with a credential of the tenant or of another tenant. */
async function createResources(): Promise<void> {
  const { client } = fixture.platform;
  const gitea = { gitea: { domain: catcherUrl } };
  const repository = { gitea: { owner: 'acme', name: 'web' } };
  await createSecret('central', central);
  await apply(ClusterScmProvider, tenant, undefined, {
    secretRef: { name: 'central', namespace: central },
    noop: {},
  });
  await createRepository(
    'dry-run',
    { kind: 'ClusterScmProvider', name: tenant },
    { noop: { url: `${catcherUrl}/a.git` } },
  );

  await client.apply(
    ServiceAccount,
    { metadata: { name: 'robot', namespace: tenant } },
    { fieldManager: 'test' },
  );
  const annotations = { 'kubernetes.io/service-account.name': 'robot' };
  const type = 'kubernetes.io/service-account-token';
  const metadata = { name: 'robot', namespace: tenant, annotations };
  const stringData = { token: 'canary-robot' };
  await client.apply(Secret, { metadata, type, stringData }, { fieldManager: 'test' });
  await apply(ScmProvider, 'robot', tenant, { secretRef: { name: 'robot' }, ...gitea });
  await createRepository('robot', { name: 'robot' }, repository);

  await createSecret('own', tenant);
  await apply(ScmProvider, 'own', tenant, { secretRef: { name: 'own' }, ...gitea });
  await createRepository('own', { name: 'own' }, repository);

  await createSecret('route', namespaces.config);
  const provider = {
    kind: 'gitea',
    host: catcherUrl,
    repository: 'acme/web',
    baseBranch: 'main',
    credentialsRef: { name: 'route' },
  };
  await apply(GitOpsResponderConfig, 'default', namespaces.config, { routes: [{ provider }] });
}

/** Waits until all apps have reported on the objects that name the catcher. Returns the messages by object. */
async function reports(): Promise<Record<string, string>> {
  const { client } = fixture.platform;
  const messageOf = (object: { status?: { conditions?: { type: string; message: string }[] | undefined } }) =>
    object.status?.conditions?.find(({ type }) => type === 'Ready')?.message;
  let found: Record<string, string | undefined> = {};
  await eventually(async () => {
    found = {};
    for (const name of ['dry-run', 'robot', 'own']) {
      found[`repository ${name}`] = messageOf(await client.get(GitRepository, { name, namespace: tenant }));
      found[`status ${name}`] = messageOf(await client.get(CommitStatus, { name, namespace: tenant }));
    }
    const config = await client.get(GitOpsResponderConfig, { name: 'default', namespace: namespaces.config });
    found['route'] = config.status?.providers?.[0]?.message;
    expect(Object.entries(found).filter(([, message]) => message === undefined)).toEqual([]);
  }, timeoutMs);
  return found as Record<string, string>;
}

describe('a server that a tenant chose', () => {
  test(
    'is not accessed by default',
    async () => {
      await start([]);
      const messages = await reports();
      const refused = /127\.0\.0\.1:\d+ is reached without TLS/;
      expect(messages).toEqual({
        'repository dry-run': expect.stringMatching(refused),
        'repository robot': expect.stringMatching(/is of type kubernetes\.io\/service-account-token/),
        'repository own': expect.stringMatching(refused),
        'status dry-run': expect.stringMatching(refused),
        'status robot': expect.stringMatching(/is of type kubernetes\.io\/service-account-token/),
        'status own': expect.stringMatching(refused),
        route: expect.stringMatching(refused),
      });
      expect(caught).toEqual([]);
    },
    timeoutMs,
  );

  test(
    'is not accessed if only plain HTTP is allowed',
    async () => {
      await start(['--allow-http']);
      const refused = /the host 127\.0\.0\.1:\d+ is not allowed; add it to the flag --scm-hosts/;
      /* At the start, the apps have not read the hosts of ClusterScmProviders yet. */
      await eventually(async () => {
        const messages = await reports();
        for (const name of [
          'repository dry-run',
          'repository own',
          'status dry-run',
          'status own',
          'route',
        ]) {
          expect(messages[name]).toMatch(refused);
        }
      }, timeoutMs);
      expect(caught).toEqual([]);
    },
    timeoutMs,
  );

  test(
    'receives only its own credentials if it is allowed',
    async () => {
      await start(['--allow-http', `--scm-hosts=${new URL(catcherUrl).host}`]);
      await reports();
      const seenAt = (path: string) => caught.filter(({ url }) => url.startsWith(path));
      await eventually(() => {
        expect(seenAt('/a.git')).not.toEqual([]);
        expect(seenAt('/acme/web.git')).not.toEqual([]);
        expect(seenAt('/api/v1')).not.toEqual([]);
      }, timeoutMs);
      expect(seenAt('/a.git').filter(({ authorization }) => authorization !== undefined)).toEqual([]);
      const basic = `Basic ${Buffer.from('oauth2:canary-own').toString('base64')}`;
      const own = ['token canary-own', 'token canary-route', basic];
      const others = caught.map(({ authorization }) => authorization).filter((value) => value !== undefined);
      expect(others.filter((value) => !own.includes(value))).toEqual([]);
      expect(others).toContain('token canary-own');
    },
    timeoutMs,
  );
});
