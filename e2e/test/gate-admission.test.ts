import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { annotations, Gate, GateOverride, gatingGroup } from '@interlock/api';
import {
  Lease,
  MutatingWebhookConfiguration,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
  ValidatingWebhookConfiguration,
  type Client,
  type WriteOptions,
} from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import {
  AppProcess,
  ensureNamespace,
  installCustomResources,
  installIdentity,
  installWebhooks,
  writeAppKubeconfig,
  type Cluster,
} from '@interlock/stack';
import { Balancer } from './support/balancer.js';
import { namespaces, openTestCluster, tenantName, webhookHost } from './support/test-cluster.js';

const app = 'gate-controller';
const secret = { namespace: namespaces.system, name: 'gate-controller-admission' };
const namespace = tenantName('shop');
const account = { namespace, name: 'asker' };
const timeoutMs = 60_000;

let cluster: Cluster;
let client: Client;
let folder: string;
const replicas: AppProcess[] = [];
let balancer: Balancer;
/** Token of an account that may read gates. */
let token: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gate-admission-'));
  cluster = await openTestCluster();
  balancer = await Balancer.start();
  client = cluster.connect('e2e');
  await installCustomResources(client);
  for (const name of [namespaces.system, namespaces.config, namespace]) await ensureNamespace(client, name);
  await installIdentity(client, app, namespaces);
  await installWebhooks(client, app, {
    port: balancer.port,
    host: webhookHost,
    namespace: namespaces.system,
  });
  token = await createToken();
  const kubeconfig = join(folder, 'kubeconfig');
  const owner = { namespace: namespaces.system, name: app };
  await writeAppKubeconfig(client, cluster.admin, owner, kubeconfig);
  for (const index of [0, 1]) {
    const replica = new AppProcess({
      app,
      logFile: logOf(index),
      args: [
        `--kubeconfig=${kubeconfig}`,
        `--namespace=${namespaces.system}`,
        '--metrics-bind-address=0',
        '--health-probe-bind-address=127.0.0.1:0',
        '--admission-bind-address=127.0.0.1:0',
        '--gates-bind-address=127.0.0.1:0',
      ],
    });
    replicas.push(replica);
    replica.start();
  }
  balancer.endpoints = await Promise.all([portOf(0, 'admission'), portOf(1, 'admission')]);
  await trusted();
}, timeoutMs);
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.stop()));
  await client.close();
  await cluster.close();
  await balancer.close();
  await rm(folder, { recursive: true });
});

/** Creates an account that may read gates. @returns a token for the account. */
async function createToken(): Promise<string> {
  const { name } = account;
  const options = { fieldManager: 'e2e' };
  const rules = [{ apiGroups: [gatingGroup], resources: ['gates'], verbs: ['get'] }];
  await client.apply(ServiceAccount, { metadata: account }, options);
  await client.apply(Role, { metadata: account, rules }, options);
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  const subjects = [{ kind: 'ServiceAccount', ...account }];
  await client.apply(RoleBinding, { metadata: account, subjects, roleRef }, options);
  const { status } = await client.raw<{ status: { token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  return status.token;
}

/** Returns the user name of the administrator in the cluster. */
async function currentUser(): Promise<string> {
  const { status } = await client.raw<{ status: { userInfo: { username: string } } }>({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  });
  return status.userInfo.username;
}

const logOf = (index: number) => join(folder, `log-${index}`);

async function linesOf(index: number): Promise<Record<string, unknown>[]> {
  const text = await readFile(logOf(index), 'utf8');
  const complete = text.split('\n').slice(0, -1);
  return complete.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Waits until a replica listens. */
function portOf(index: number, listener: string): Promise<number> {
  return eventually(async () => {
    const line = (await linesOf(index)).find(
      ({ msg, listener: of }) => msg === 'listening' && of === listener,
    );
    if (line === undefined) throw new Error(`replica ${index} does not serve ${listener}`);
    return Number(line['port']);
  }, timeoutMs);
}

/** Waits until the API server trusts the stored authority. */
function trusted(): Promise<void> {
  return eventually(async () => {
    const { data } = await client.get(Secret, secret);
    const name = { name: 'interlock-gate-controller' };
    const configurations = [
      await client.get(MutatingWebhookConfiguration, name),
      await client.get(ValidatingWebhookConfiguration, name),
    ];
    for (const { webhooks = [] } of configurations) {
      for (const { clientConfig } of webhooks) expect(clientConfig.caBundle).toBe(data?.['ca.crt']);
    }
  }, timeoutMs);
}

function override(name: string, options: WriteOptions = {}): Promise<GateOverride> {
  const spec = { gateRef: { name: 'freeze' }, effect: 'Open', reason: 'CVE', duration: '30m' };
  return client.create(GateOverride, { metadata: { name, namespace }, spec }, options);
}

async function stateAt(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/gates/${namespace}/freeze`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await answer.arrayBuffer();
  return answer.status;
}

test(
  'two replicas share their certificates, admit overrides and serve the gates endpoint, whichever leads',
  async () => {
    await client.create(Gate, { metadata: { name: 'freeze', namespace }, spec: {} });
    const ports = await Promise.all([portOf(0, 'gates'), portOf(1, 'gates')]);
    for (const port of ports) await eventually(async () => expect(await stateAt(port)).toBe(403), timeoutMs);
    /* An API server uses a new webhook configuration with a short delay. */
    await eventually(() => override('tried', { dryRun: true }), timeoutMs);
    const user = await currentUser();
    for (const name of ['a', 'b', 'c', 'd']) {
      const { metadata } = await override(name);
      expect(metadata.annotations?.[annotations.actor]).toBe(user);
    }
    for (const port of ports) await eventually(async () => expect(await stateAt(port)).toBe(200), timeoutMs);
    await expect(
      client.create(GateOverride, {
        metadata: { name: 'long', namespace },
        spec: { gateRef: { name: 'freeze' }, effect: 'Open', reason: 'CVE', duration: '9h' },
      }),
    ).rejects.toThrow('maxOverride');
    const { spec } = await client.get(Lease, { namespace: namespaces.system, name: app });
    expect(spec?.holderIdentity).toBeDefined();
    for (const index of [0, 1]) {
      const renewed = (await linesOf(index)).filter(({ msg }) => msg === 'certificates renewed');
      expect(renewed.length).toBeLessThanOrEqual(1);
    }
  },
  timeoutMs,
);

test(
  'one replica is sufficient after the other was killed',
  async () => {
    await replicas[0]?.kill();
    balancer.endpoints = balancer.endpoints.slice(1);
    await override('after-the-kill');
    expect(await stateAt(await portOf(1, 'gates'))).toBe(200);
    const texts = await Promise.all([readFile(logOf(0), 'utf8'), readFile(logOf(1), 'utf8')]);
    const { data } = await client.get(Secret, secret);
    const key =
      Buffer.from(data?.['tls.key'] ?? '', 'base64')
        .toString('utf8')
        .split('\n')[1] ?? '';
    expect(key.length).toBeGreaterThan(20);
    for (const text of texts) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(token);
    }
    expect(await replicas[1]?.stop()).toBe(0);
  },
  timeoutMs,
);
