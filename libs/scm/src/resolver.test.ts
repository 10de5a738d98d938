import { readdir, readFile } from 'node:fs/promises';
import { ClusterScmProvider, GitRepository, ScmProvider } from '@interlock/api';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import {
  createClient,
  CustomResourceDefinition,
  Namespace,
  Secret,
  ServiceAccount,
  type Client,
} from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { githubPlugin } from './github/plugin.js';
import { createScmRegistry, type ScmRegistry } from './registry.js';
import { RepositoryResolver } from './resolver.js';

const definitions = new URL('../../../charts/interlock-crds/crds/', import.meta.url);

let cluster: DevCluster;
let client: Client;
let registry: ScmRegistry;
let resolver: RepositoryResolver;
/** Namespace of the current test. */
let namespace: string;
let tests = 0;

function connect(token = cluster.adminToken): Client {
  const kubeConfig = parse(cluster.kubeconfig) as { users: { name: string; user: object }[] };
  const users = kubeConfig.users.map(({ name }) => ({ name, user: { token } }));
  return createClient({
    kubeConfig: { ...kubeConfig, users },
    userAgent: 'scm-test',
    defaultFieldManager: 'test',
  });
}

beforeAll(async () => {
  cluster = await startDevCluster();
  client = connect();
  for (const file of await readdir(definitions)) {
    await client.create(CustomResourceDefinition, parse(await readFile(new URL(file, definitions), 'utf8')));
  }
  await eventually(() => client.list(GitRepository));
  await eventually(() => client.list(ScmProvider));
  await eventually(() => client.list(ClusterScmProvider));
  registry = createScmRegistry({ plugins: [githubPlugin()] });
  resolver = new RepositoryResolver(client, registry);
});
afterAll(async () => {
  await registry.close();
  await client.close();
  await cluster.close();
});
beforeEach(async () => {
  namespace = `team-${++tests}`;
  await client.create(Namespace, { metadata: { name: namespace } });
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const createSecret = (data: Record<string, string>, inside = namespace, type?: string, annotations = {}) =>
  client.create(Secret, {
    metadata: { name: 'github', namespace: inside, annotations },
    ...(type !== undefined && { type }),
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
  });
const createProvider = (inside = namespace) =>
  client.create(ScmProvider, {
    metadata: { name: 'acme', namespace: inside },
    spec: { secretRef: { name: 'github' }, github: { domain: 'git.example.com' } },
  });
const createRepository = (kind: 'ScmProvider' | 'ClusterScmProvider', provider = 'acme') =>
  client.create(GitRepository, {
    metadata: { name: 'web', namespace },
    spec: { scmProviderRef: { kind, name: provider }, github: { owner: 'acme', name: 'web' } },
  });
const resolve = () => resolver.resolve({ name: 'web', namespace });

describe('a repository', () => {
  test('is accessed with the provider and the Secret of its namespace', async () => {
    await createSecret({ token: 'ghp_team' });
    await createProvider();
    await createRepository('ScmProvider');
    const { repository, plugin, gitRepository } = await resolve();
    expect(repository.cloneUrl).toBe('https://git.example.com/acme/web.git');
    expect(await repository.gitCredentials()).toMatchObject({ password: 'ghp_team' });
    expect(plugin).toBe('github');
    expect(gitRepository.metadata).toMatchObject({ name: 'web', namespace });
  });

  test('is accessed with a ClusterScmProvider, whose Secret is in the namespace that it names', async () => {
    const central = `${namespace}-central`;
    await client.create(Namespace, { metadata: { name: central } });
    await createSecret({ token: 'ghp_central' }, central);
    await createSecret({ token: 'ghp_team' });
    const name = `acme-${namespace}`;
    const secretRef = { name: 'github', namespace: central };
    await client.create(ClusterScmProvider, { metadata: { name }, spec: { secretRef, github: {} } });
    await createRepository('ClusterScmProvider', name);
    const { repository } = await resolve();
    expect(repository.cloneUrl).toBe('https://github.com/acme/web.git');
    expect(await repository.gitCredentials()).toMatchObject({ password: 'ghp_central' });
  });

  test('is accessed with the current data of its Secret', async () => {
    await createSecret({ token: 'ghp_old' });
    await createProvider();
    await createRepository('ScmProvider');
    const before = await resolve();
    const data = { token: base64('ghp_new') };
    await client.patch(Secret, { name: 'github', namespace }, { type: 'merge', patch: { data } });
    const after = await resolve();
    expect(await before.repository.gitCredentials()).toMatchObject({ password: 'ghp_old' });
    expect(await after.repository.gitCredentials()).toMatchObject({ password: 'ghp_new' });
  });
});

describe('a missing object is named with its field', () => {
  const elsewhere = async (): Promise<string> => {
    const other = `${namespace}-other`;
    await client.create(Namespace, { metadata: { name: other } });
    return other;
  };
  const expectMissing = (reason: string, message: string) =>
    expect(resolve()).rejects.toMatchObject({ type: 'NotFound', reason, message });

  test('such as a GitRepository', async () => {
    await expectMissing(
      'GitRepositoryNotFound',
      `spec.repoRef.name: GitRepository ${namespace}/web does not exist; create it`,
    );
  });

  test('such as a provider, even when another namespace has a provider of that name', async () => {
    await createProvider(await elsewhere());
    await createRepository('ScmProvider');
    await expectMissing(
      'ProviderNotFound',
      'spec.scmProviderRef: ScmProvider acme does not exist; create it',
    );
  });

  test('such as a ClusterScmProvider, even when the namespace has a provider of that name', async () => {
    await createProvider();
    await createRepository('ClusterScmProvider');
    await expectMissing(
      'ProviderNotFound',
      'spec.scmProviderRef: ClusterScmProvider acme does not exist; create it',
    );
  });

  test('such as a Secret, even when another namespace has a Secret of that name', async () => {
    await createSecret({ token: 'ghp_other' }, await elsewhere());
    await createProvider();
    await createRepository('ScmProvider');
    await expectMissing(
      'SecretNotFound',
      `spec.secretRef of ScmProvider acme: Secret ${namespace}/github does not exist; create it`,
    );
  });

  test('such as a key of the Secret', async () => {
    await createSecret({ password: 'canary' });
    await createProvider();
    await createRepository('ScmProvider');
    const missing: unknown = await resolve().catch((error: unknown) => error);
    expect(missing).toMatchObject({ type: 'Unauthorized', message: expect.stringContaining('key token') });
    expect(String(missing)).not.toContain('canary');
  });
});

describe('a Secret', () => {
  const refused = {
    type: 'Unauthorized',
    reason: 'SecretTypeNotAllowed',
    message: expect.stringMatching(/^spec\.secretRef of ScmProvider acme: Secret .*\/github is of type /),
  };

  test.each<[string, Record<string, string>]>([
    [
      'bootstrap.kubernetes.io/token',
      { token: 'canary', 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' },
    ],
    ['helm.sh/release.v1', { token: 'canary', release: 'canary' }],
    ['kubernetes.io/tls', { token: 'canary', 'tls.crt': '', 'tls.key': '' }],
    ['kubernetes.io/dockerconfigjson', { token: 'canary', '.dockerconfigjson': '{}' }],
    ['kubernetes.io/ssh-auth', { token: 'canary', 'ssh-privatekey': 'canary' }],
    ['example.com/any', { token: 'canary' }],
  ])('of the type %s is not sent as a credential', async (type, data) => {
    await createSecret(data, namespace, type);
    await createProvider();
    await createRepository('ScmProvider');
    const error: unknown = await resolve().catch((reason: unknown) => reason);
    expect(error).toMatchObject(refused);
    expect(String(error)).not.toContain('canary');
  });

  test('with the token of a service account is not sent as a credential', async () => {
    await client.create(ServiceAccount, { metadata: { name: 'robot', namespace } });
    const annotations = { 'kubernetes.io/service-account.name': 'robot' };
    await createSecret({ token: 'canary' }, namespace, 'kubernetes.io/service-account-token', annotations);
    await createProvider();
    await createRepository('ScmProvider');
    await expect(resolve()).rejects.toMatchObject(refused);
  });

  test('of the type kubernetes.io/basic-auth is sent as a credential', async () => {
    await createSecret(
      { token: 'ghp_team', username: 'a', password: 'b' },
      namespace,
      'kubernetes.io/basic-auth',
    );
    await createProvider();
    await createRepository('ScmProvider');
    const { repository } = await resolve();
    expect(await repository.gitCredentials()).toMatchObject({ password: 'ghp_team' });
  });
});

describe('a ClusterScmProvider', () => {
  const resolveWith = async (allowed: string[] | undefined) => {
    const name = `acme-${namespace}`;
    const secretRef = { name: 'github', namespace };
    const allowedNamespaces = allowed?.map((item) => (item === 'own' ? namespace : item));
    const spec = { secretRef, github: {}, ...(allowedNamespaces && { allowedNamespaces }) };
    await createSecret({ token: 'ghp_central' });
    await client.create(ClusterScmProvider, { metadata: { name }, spec });
    await createRepository('ClusterScmProvider', name);
    return resolve();
  };

  test.each([[undefined], [['*']], [['own']], [['other', 'own']]])(
    'serves the namespaces that it allows: %j',
    async (allowed) => {
      expect((await resolveWith(allowed)).plugin).toBe('github');
    },
  );

  test.each([[[]], [['other']]])('refuses the namespaces that it does not allow: %j', async (allowed) => {
    await expect(resolveWith(allowed)).rejects.toMatchObject({
      type: 'Unauthorized',
      reason: 'NamespaceNotAllowed',
      message: `spec.scmProviderRef: ClusterScmProvider acme-${namespace} does not allow namespace ${namespace}; add it to its spec.allowedNamespaces`,
    });
  });
});

test('decodes a Secret byte for byte', async () => {
  const data = { githubAppPrivateKey: '-----BEGIN\nkey\n', webhookSecret: 'schlüssel 🔑' };
  await createSecret(data);
  const provider = await createProvider();
  expect(await resolver.secret(provider, namespace)).toEqual(data);
});

test('returns no keys for a Secret without data', async () => {
  await createSecret({});
  expect(await resolver.secret(await createProvider(), namespace)).toEqual({});
});

test('does not treat an object that cannot be read as absent', async () => {
  const stranger = connect('of-nobody');
  const refused = new RepositoryResolver(stranger, registry).resolve({ name: 'web', namespace });
  await expect(refused).rejects.toMatchObject({ type: 'Unauthorized' });
  await stranger.close();
});
