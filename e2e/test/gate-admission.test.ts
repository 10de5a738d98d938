import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { annotations, Gate, GateOverride } from '@interlock/api';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import {
  createClient,
  Lease,
  MutatingWebhookConfiguration,
  Secret,
  ValidatingWebhookConfiguration,
  type Client,
} from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import {
  AppProcess,
  ensureNamespace,
  installCustomResources,
  installIdentity,
  installWebhooks,
  systemNamespace,
  writeAppKubeconfig,
} from '@interlock/stack';
import { parse } from 'yaml';
import { Balancer } from './support/balancer.js';

const app = 'gate-controller';
const secret = { namespace: systemNamespace, name: 'gate-controller-admission' };
const namespace = 'shop';
const timeoutMs = 60_000;

let cluster: DevCluster;
let client: Client;
let folder: string;
const replicas: AppProcess[] = [];
let balancer: Balancer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gate-admission-'));
  cluster = await startDevCluster();
  balancer = await Balancer.start();
  const admin = parse(cluster.kubeconfig) as Parameters<typeof writeAppKubeconfig>[1];
  client = createClient({ kubeConfig: admin, userAgent: 'e2e', defaultFieldManager: 'e2e' });
  await installCustomResources(client);
  await ensureNamespace(client, systemNamespace);
  await ensureNamespace(client, namespace);
  await installIdentity(client, app);
  await installWebhooks(client, app, { port: balancer.port });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeAppKubeconfig(client, admin, { namespace: systemNamespace, name: app }, kubeconfig);
  for (const index of [0, 1]) {
    const replica = new AppProcess({
      app,
      logFile: logOf(index),
      args: [
        `--kubeconfig=${kubeconfig}`,
        `--namespace=${systemNamespace}`,
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

/** Waits until the API server trusts the authority that is kept. */
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

function override(name: string): Promise<GateOverride> {
  const spec = { gateRef: { name: 'freeze' }, effect: 'Open', reason: 'CVE', duration: '30m' };
  return client.create(GateOverride, { metadata: { name, namespace }, spec });
}

async function stateAt(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/gates/${namespace}/freeze`, {
    headers: { authorization: `Bearer ${cluster.adminToken}` },
  });
  await answer.arrayBuffer();
  return answer.status;
}

test(
  'two replicas share their certificates, admit overrides and answer for gates, whichever leads',
  async () => {
    await client.create(Gate, { metadata: { name: 'freeze', namespace }, spec: {} });
    const ports = await Promise.all([portOf(0, 'gates'), portOf(1, 'gates')]);
    for (const port of ports) await eventually(async () => expect(await stateAt(port)).toBe(403), timeoutMs);
    for (const name of ['a', 'b', 'c', 'd']) {
      const { metadata } = await override(name);
      expect(metadata.annotations?.[annotations.actor]).toBe('kubernetes-admin');
    }
    for (const port of ports) await eventually(async () => expect(await stateAt(port)).toBe(200), timeoutMs);
    await expect(
      client.create(GateOverride, {
        metadata: { name: 'long', namespace },
        spec: { gateRef: { name: 'freeze' }, effect: 'Open', reason: 'CVE', duration: '9h' },
      }),
    ).rejects.toThrow('maxOverride');
    const { spec } = await client.get(Lease, { namespace: systemNamespace, name: app });
    expect(spec?.holderIdentity).toBeDefined();
    for (const index of [0, 1]) {
      const renewed = (await linesOf(index)).filter(({ msg }) => msg === 'certificates renewed');
      expect(renewed.length).toBeLessThanOrEqual(1);
    }
  },
  timeoutMs,
);

test(
  'one replica is enough, after the other was killed',
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
      expect(text).not.toContain(cluster.adminToken);
    }
    expect(await replicas[1]?.stop()).toBe(0);
  },
  timeoutMs,
);
