import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ActionsGateway, RunnerGroup } from '@interlock/api';
import { ClusterRole, Deployment, Namespace, NetworkPolicy, Secret, type Client } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import {
  AppProcess,
  ensureNamespace,
  freePort,
  installCustomResources,
  installIdentity,
  installWebhooks,
  writeAppKubeconfig,
  type Cluster,
} from '@interlock/stack';
import { parse } from 'yaml';
import { root } from './support/program.js';
import { namespaces, openTestCluster, tenantName, webhookHost } from './support/test-cluster.js';

const app = 'gmc';
const tenantRole = 'interlock-agc-tenant';
const namespace = tenantName('tenant');
const privateKey = '-----BEGIN RSA PRIVATE KEY-----\nA\n-----END RSA PRIVATE KEY-----\n';
const startMs = 60_000;

let folder: string;
let cluster: Cluster;
let client: Client;
let gmc: AppProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interlock-e2e-gmc-'));
  cluster = await openTestCluster();
  client = cluster.connect('e2e');
  await installCustomResources(client);
  await ensureNamespace(client, namespaces.system);
  await installIdentity(client, app, namespaces);
  const rules = parse(await readFile(join(root, 'charts/gmc/files/tenant-role.yaml'), 'utf8')) as object[];
  await client.apply(ClusterRole, { metadata: { name: tenantRole }, rules }, { fieldManager: 'e2e' });
  gmc = await startGmc();
}, 120_000);

afterAll(async () => {
  await gmc.stop();
  await client.delete(Namespace, { name: namespace });
  await client.close();
  await cluster.close();
  await rm(folder, { recursive: true, force: true });
}, 120_000);

/** Starts the bundle with the rights of its chart, and has the API server ask it. */
async function startGmc(): Promise<AppProcess> {
  const kubeconfig = join(folder, 'kubeconfig');
  const account = { namespace: namespaces.system, name: app };
  await writeAppKubeconfig(client, cluster.admin, account, kubeconfig);
  const port = await freePort();
  const logFile = join(folder, 'log');
  const process = new AppProcess({
    app,
    logFile,
    args: [
      ...[`--kubeconfig=${kubeconfig}`, `--namespace=${namespaces.system}`, '--leader-elect=false'],
      ...['--metrics-bind-address=0', '--health-probe-bind-address=127.0.0.1:0'],
      ...['--agc-image=interlock/agc:test', '--proxy-image=interlock/egress-proxy:test'],
      ...['--image-references=any', '--github-meta-url=https://127.0.0.1:1/meta'],
      `--admission-bind-address=${webhookHost === 'localhost' ? '127.0.0.1' : ''}:${port}`,
    ],
  });
  await installWebhooks(client, app, { port, host: webhookHost, namespace: namespaces.system });
  process.start();
  return process;
}

const gatewayWith = (spec: object = {}, name = 'gateway') => ({
  apiVersion: 'actions-gateway.github.com/v1alpha1',
  kind: 'ActionsGateway',
  metadata: { name, namespace },
  spec: {
    gitHubAppRef: { name: 'github-app' },
    gitHubURL: 'https://github.com/acme',
    runnerGroups: [{ name: 'linux', runnerLabels: ['self-hosted', 'linux'], podTemplate: {} }],
    ...spec,
  } as ActionsGateway['spec'],
});
const create = (spec?: object, name?: string) => client.create(ActionsGateway, gatewayWith(spec, name));

async function condition(type: string) {
  const { status } = await client.get(ActionsGateway, { name: 'gateway', namespace });
  return status?.conditions?.find((one) => one.type === type);
}

test('the webhook answers with the field, the value and the fix', async () => {
  const labels = { 'actions-gateway.github.com/tenant': 'true' };
  await client.apply(Namespace, { metadata: { name: namespace, labels } }, { fieldManager: 'e2e' });
  await eventually(
    () =>
      expect(create({ gitHubURL: 'https://github.com' })).rejects.toThrow(
        'spec.gitHubURL: Invalid value: "https://github.com": gitHubURL must name an organization, a repository or an enterprise',
      ),
    startMs,
  );
  await expect(create({ securityProfile: 'privileged' })).rejects.toThrow('needs the label');
}, 90_000);

test('a gateway becomes the objects of a tenant, with the rights of the chart', async () => {
  await create();
  await expect(create({}, 'second')).rejects.toThrow(
    `namespace ${namespace} has the gateway gateway already`,
  );
  await eventually(async () => {
    const deployments = await client.list(Deployment, { namespace });
    expect(deployments.items.map(({ metadata }) => metadata.name).sort()).toEqual([
      'actions-gateway-controller',
      'actions-gateway-proxy',
    ]);
    expect((await client.list(NetworkPolicy, { namespace })).items).toHaveLength(3);
    expect((await client.list(RunnerGroup, { namespace })).items).toHaveLength(1);
    expect((await client.get(Secret, { name: 'actions-gateway-proxy-tls', namespace })).data).toHaveProperty([
      'tls.crt',
    ]);
  }, startMs);
  await eventually(async () =>
    expect(await condition('CredentialUnavailable')).toMatchObject({
      status: 'True',
      reason: 'SecretNotFound',
    }),
  );
  expect(await condition('EgressRulesStale')).toMatchObject({ status: 'True', reason: 'RefreshPending' });
  const stringData = { appId: '1', installationId: '2', privateKey };
  await client.apply(
    Secret,
    { metadata: { name: 'github-app', namespace }, stringData },
    { fieldManager: 'e2e' },
  );
  await eventually(
    async () => expect(await condition('CredentialUnavailable')).toMatchObject({ status: 'False' }),
    startMs,
  );
  expect(await condition('Degraded')).toMatchObject({ status: 'False' });
}, 180_000);

test('a gateway that is deleted leaves nothing behind', async () => {
  await client.delete(ActionsGateway, { name: 'gateway', namespace });
  await eventually(async () => {
    const gone = client.get(ActionsGateway, { name: 'gateway', namespace });
    await expect(gone).rejects.toMatchObject({ type: 'NotFound' });
    expect((await client.list(Deployment, { namespace })).items).toEqual([]);
    expect((await client.list(RunnerGroup, { namespace })).items).toEqual([]);
    expect((await client.list(NetworkPolicy, { namespace })).items).toEqual([]);
  }, startMs);
  expect(await readFile(join(folder, 'log'), 'utf8')).not.toContain('is forbidden');
}, 90_000);
