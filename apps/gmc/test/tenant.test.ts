import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ActionsGateway, RunnerGroup, runnerFinalizers, type KubeObject } from '@interlock/api';
import { systemClock } from '@interlock/base';
import { startDevCluster, type DevCluster } from '@interlock/devcluster';
import {
  createClient,
  CustomResourceDefinition,
  Deployment,
  Event,
  Namespace,
  NetworkPolicy,
  Secret,
  type Client,
} from '@interlock/kube';
import { eventually, TestManager } from '@interlock/kube/testing';
import { parse } from 'yaml';
import { addGmc } from '../src/app.js';
import { gatewayOf, groupOf, tenantContext } from '../src/testing/builders.js';

const crds = ['actionsgateways', 'runnergroups'].map(
  (plural) =>
    new URL(`../../../charts/interlock-crds/crds/actions-gateway.github.com_${plural}.yaml`, import.meta.url),
);
const privateKey = '-----BEGIN RSA PRIVATE KEY-----\nA\n-----END RSA PRIVATE KEY-----\n';

let cluster: DevCluster;
let client: Client;
let gmc: TestManager;

beforeAll(async () => {
  cluster = await startDevCluster({
    nodes: [{ name: 'node', capacity: { cpu: '100', memory: '400Gi', pods: '500' } }],
  });
  const kubeConfig = parse(cluster.kubeconfig) as object;
  client = createClient({ kubeConfig, userAgent: 'test', defaultFieldManager: 'test' });
  for (const crd of crds)
    await client.create(CustomResourceDefinition, parse(readFileSync(crd, 'utf8')) as never);
  gmc = new TestManager(
    createClient({ kubeConfig, userAgent: 'gmc', defaultFieldManager: 'gmc' }),
    systemClock,
    'gmc',
  );
  addGmc({
    ...{ manager: gmc.manager, log: gmc.log, random: gmc.random, installation: tenantContext.installation },
    policy: {
      allowedPriorityClasses: [],
      reservedNamespaces: ['kube-system'],
      credentialNamespaces: ['shared'],
    },
    readRanges: () => Promise.resolve(['140.82.112.0/20']),
    extraRanges: [],
  });
  gmc.run();
}, 30_000);
afterAll(async () => {
  await gmc.stop();
  await client.close();
  await cluster.close();
});

async function createTenant(
  namespace: string,
  spec: Partial<ActionsGateway['spec']> = {},
  labels: Record<string, string> = { 'actions-gateway.github.com/tenant': 'true' },
): Promise<void> {
  await client.create(Namespace, { metadata: { name: namespace, labels } } as Namespace);
  const { apiVersion, kind, spec: complete } = gatewayOf(spec);
  await eventually(() =>
    client.create(ActionsGateway, {
      apiVersion,
      kind,
      metadata: { name: 'gateway', namespace },
      spec: complete,
    }),
  );
}

async function createSecret(namespace: string, data: Record<string, string> = {}): Promise<void> {
  const stringData = { appId: '1', installationId: '2', privateKey, ...data };
  await client.apply(
    Secret,
    { metadata: { name: 'github-app', namespace }, stringData },
    { fieldManager: 'team' },
  );
}

const gateway = (namespace: string) => client.get(ActionsGateway, { name: 'gateway', namespace });

async function condition(namespace: string, type: string) {
  return (await gateway(namespace)).status?.conditions?.find((one) => one.type === type);
}

const untilReady = (namespace: string) =>
  eventually(
    async () => expect(await condition(namespace, 'Ready')).toMatchObject({ status: 'True' }),
    60_000,
  );

describe('an ActionsGateway', () => {
  it('becomes a tenant whose pods run, and is written no more', async () => {
    await createTenant('team-a', { runnerGroups: [groupOf()] });
    await createSecret('team-a');
    await untilReady('team-a');
    const { metadata } = await client.get(Namespace, { name: 'team-a' });
    expect(metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'baseline' });
    expect(await client.get(RunnerGroup, { name: 'gateway-linux', namespace: 'team-a' })).toMatchObject({
      spec: { runnerLabels: ['self-hosted', 'linux'] },
    });
    await gmc.rest();
    const before = await versions('team-a');
    await client.patch(
      Namespace,
      { name: 'team-a' },
      { type: 'merge', patch: { metadata: { annotations: { look: 'again' } } } },
    );
    await gmc.rest();
    expect(await versions('team-a')).toEqual(before);
  });

  it('removes what is not wanted any more, and repairs what others change', async () => {
    const key = { name: 'actions-gateway-workload', namespace: 'team-a' };
    await client.patch(NetworkPolicy, key, { type: 'merge', patch: { spec: { egress: [{}] } } });
    await eventually(async () => expect((await client.get(NetworkPolicy, key)).spec?.egress).toHaveLength(2));
    const patch = { spec: { runnerGroups: [groupOf({ name: 'gpu' })] } };
    await client.patch(ActionsGateway, { name: 'gateway', namespace: 'team-a' }, { type: 'merge', patch });
    await eventually(async () => {
      const { items } = await client.list(RunnerGroup, { namespace: 'team-a' });
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['gateway-gpu']);
    });
  });

  it('says which key of its Secret is missing, and goes on when it is there', async () => {
    await createTenant('team-b');
    await eventually(async () =>
      expect(await condition('team-b', 'CredentialUnavailable')).toMatchObject({
        status: 'True',
        reason: 'SecretNotFound',
      }),
    );
    await createSecret('team-b', { installationId: '' });
    await eventually(
      async () =>
        expect((await condition('team-b', 'CredentialUnavailable'))?.message).toContain('installationId'),
      60_000,
    );
  });

  it('gets a copy of a credential that is kept in another namespace, and a new one when it changes', async () => {
    await client.create(Namespace, { metadata: { name: 'shared' } } as Namespace);
    await createSecret('shared');
    await createTenant('team-d', { gitHubAppRef: { name: 'github-app', namespace: 'shared' } });
    await untilReady('team-d');
    const key = { name: 'actions-gateway-credential', namespace: 'team-d' };
    const appIdOf = async (): Promise<string> =>
      Buffer.from((await client.get(Secret, key)).data?.['appId'] ?? '', 'base64').toString();
    expect(await appIdOf()).toBe('1');
    const { spec } = await client.get(Deployment, {
      name: 'actions-gateway-controller',
      namespace: 'team-d',
    });
    expect(JSON.stringify(spec?.template.spec?.volumes)).toContain(
      '"secretName":"actions-gateway-credential"',
    );
    await createSecret('shared', { appId: '7' });
    const patch = { spec: { logLevel: 'debug' } };
    await client.patch(ActionsGateway, { name: 'gateway', namespace: 'team-d' }, { type: 'merge', patch });
    await eventually(async () => expect(await appIdOf()).toBe('7'));
  });

  it('waits for the platform team where its namespace is not one of a tenant', async () => {
    await createTenant('team-c', {}, {});
    await eventually(async () =>
      expect(await condition('team-c', 'Ready')).toMatchObject({ reason: 'NamespaceNotAllowed' }),
    );
    expect((await client.list(Deployment, { namespace: 'team-c' })).items).toEqual([]);
  });

  it('leaves nothing behind when it is deleted, after its RunnerGroups have removed their runners', async () => {
    const key = { name: 'gateway-gpu', namespace: 'team-a' };
    const finalizers = [runnerFinalizers.agentPoolCleanup];
    await client.patch(RunnerGroup, key, { type: 'merge', patch: { metadata: { finalizers } } });
    await client.delete(ActionsGateway, { name: 'gateway', namespace: 'team-a' });
    await eventually(async () =>
      expect((await client.get(RunnerGroup, key)).metadata.deletionTimestamp).toBeDefined(),
    );
    expect(await condition('team-a', 'Ready')).toMatchObject({ reason: 'Deleting' });
    expect((await client.list(Deployment, { namespace: 'team-a' })).items).toHaveLength(2);
    await client.patch(RunnerGroup, key, { type: 'merge', patch: { metadata: { finalizers: [] } } });
    await eventually(async () => {
      await expect(gateway('team-a')).rejects.toMatchObject({ type: 'NotFound' });
      expect(await objectsOf('team-a')).toEqual([]);
    }, 30_000);
  });

  it('reports no event for an error of its own', async () => {
    const { items } = await client.list(Event, {});
    expect(items.filter(({ reason }) => reason === 'ProvisioningFailed')).toEqual([]);
  });
});

const kinds = [
  'deployments.apps',
  'services',
  'serviceaccounts',
  'networkpolicies.networking.k8s.io',
  'secrets',
];

/** Returns the objects of a namespace that carry the label of a gateway. */
async function objectsOf(namespace: string): Promise<KubeObject[]> {
  const lists = await Promise.all(
    kinds.map((kind) => {
      const [plural = '', ...group] = kind.split('.');
      const api = group.length === 0 ? '/api/v1' : `/apis/${group.join('.')}/v1`;
      const selector = 'labelSelector=actions-gateway.github.com/gateway';
      return client.raw<{ items: KubeObject[] }>({
        method: 'GET',
        path: `${api}/namespaces/${namespace}/${plural}?${selector}`,
      });
    }),
  );
  return lists.flatMap(({ items }) => items);
}

async function versions(namespace: string): Promise<unknown> {
  const objects = await objectsOf(namespace);
  return objects.map(({ metadata }) => [metadata.name, metadata.resourceVersion]);
}
