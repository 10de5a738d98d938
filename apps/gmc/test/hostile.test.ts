import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ActionsGateway, RunnerGroup, runnerFinalizers } from '@interlock/api';
import {
  Deployment,
  NetworkPolicy,
  Pod,
  ResourceQuota,
  Secret,
  ServiceAccount,
  type Client,
} from '@interlock/kube';
import { eventually, type TestManager } from '@interlock/kube/testing';
import { gatewayOf, groupOf } from '../src/testing/builders.js';
import { Tenants } from './harness/tenants.js';

/* These tests have no webhook, so gateways that it would refuse exist. */
let tenants: Tenants;
let client: Client;
let gmc: TestManager;
const neighbour = 'neighbour';
let listeners = 1;
let shape: Record<string, unknown>;

beforeAll(async () => {
  tenants = await Tenants.start();
  ({ client } = tenants);
  gmc = tenants.startGmc();
  await tenants.createTenant(neighbour, { runnerGroups: [groupOf()] });
  await tenants.createSecret(neighbour);
  shape = await shapeAfterChange();
});
afterAll(async () => {
  await gmc.stop();
  await tenants.close();
});

/** Returns the objects of the neighbor after a requested change, except for the change itself. */
async function shapeAfterChange(): Promise<Record<string, unknown>> {
  const maxListeners = (listeners += 1);
  await tenants.change(neighbour, { runnerGroups: [groupOf({ maxListeners })] });
  await tenants.untilReady(neighbour);
  const { 'runnergroups/gateway-linux': group, ...others } = await tenants.shapeOf(neighbour);
  expect(group).toMatchObject({ maxListeners });
  return { ...others, group: { ...(group as object), maxListeners: 0 } };
}

/** Requires that the neighbor has the requested change, and no other change. */
async function expectNeighbourUnharmed(): Promise<void> {
  expect(await shapeAfterChange()).toEqual(shape);
}

const reasonOf = async (namespace: string) => (await tenants.condition(namespace, 'Ready'))?.reason;
const createGateway = (namespace: string, name: string) => {
  const { apiVersion, kind, spec } = gatewayOf();
  return client.create(ActionsGateway, { apiVersion, kind, metadata: { name, namespace }, spec });
};
const deploymentsOf = async (namespace: string) => (await client.list(Deployment, { namespace })).items;
const merge = (patch: object) => ({ type: 'merge', patch }) as const;
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

/** What a tenant does in its namespace, and the required result. */
const attacks: Record<string, (namespace: string) => Promise<void>> = {
  'fills every list and text of its gateway': async (namespace) => {
    const runnerLabels = times(100).map((index) => `${index}-`.padEnd(256, 'x'));
    const resourceAttributes = Object.fromEntries(
      times(64).map((index) => [`${index}-`.padEnd(128, 'k'), 'v'.repeat(255)]),
    );
    await tenants.createTenant(namespace, {
      gitHubURL: `https://github.com/${'o'.repeat(2000)}`,
      runnerGroups: times(20).map((index) => groupOf({ name: `${index}-`.padEnd(55, 'g'), runnerLabels })),
      tracing: { endpoint: `https://${'h'.repeat(2000)}`, resourceAttributes },
      proxy: {
        ...{ minReplicas: 100, maxReplicas: 100, targetCPUUtilizationPercentage: 1 },
        ...{
          managedNetworkPolicy: true,
          noProxyCIDRs: times(64).map((index) => `${index}-`.padEnd(253, 'n')),
        },
      },
    });
    await tenants.createSecret(namespace, { filler: 'f'.repeat(900_000) });
    await tenants.untilReady(namespace);
    expect((await client.list(RunnerGroup, { namespace })).items).toHaveLength(20);
  },
  'has a namespace with the longest name': async (namespace) => {
    const longest = namespace.padEnd(63, 'n');
    await tenants.createTenant(longest);
    await tenants.createSecret(longest);
    await tenants.untilReady(longest);
  },
  'continuously creates and deletes gateways and RunnerGroups': async (namespace) => {
    await tenants.createTenant(namespace);
    await tenants.createSecret(namespace);
    for (const round of times(30)) {
      const name = `other-${round}`;
      await createGateway(namespace, name);
      await tenants.change(namespace, { runnerGroups: [groupOf({ name: `group-${round}` })] });
      await client.delete(ActionsGateway, { name, namespace });
    }
    await tenants.untilReady(namespace);
    await eventually(async () => {
      const { items } = await client.list(RunnerGroup, { namespace });
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['gateway-group-29']);
    });
  },
  'has a second gateway, which waits until the first one is deleted': async (namespace) => {
    await tenants.createTenant(namespace);
    await tenants.createSecret(namespace);
    await tenants.untilReady(namespace);
    await createGateway(namespace, 'second');
    const second = () => client.get(ActionsGateway, { name: 'second', namespace });
    const reason = async () =>
      (await second()).status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
    await eventually(async () => expect(await reason()).toBe('InvalidSpec'));
    /* The controller of the second gateway continues the job of this pod. */
    await tenants.createWorker(namespace);
    await client.delete(ActionsGateway, { name: 'gateway', namespace });
    await eventually(async () => expect(await reason()).toBe('AllAvailable'));
  },
  'runs a worker pod without a RunnerGroup when its gateway is deleted, and then removes it': async (
    namespace,
  ) => {
    await tenants.createTenant(namespace);
    await tenants.createSecret(namespace);
    await tenants.untilReady(namespace);
    const key = await tenants.createWorker(namespace);
    await client.delete(ActionsGateway, { name: 'gateway', namespace });
    const policies = async () => (await client.list(NetworkPolicy, { namespace })).items.length;
    await eventually(async () => expect(await deploymentsOf(namespace)).toEqual([]));
    const isWaiting = async () =>
      expect((await tenants.condition(namespace, 'Ready'))?.message).toContain('worker pods');
    await eventually(isWaiting);
    expect(await policies()).toBe(3);
    await client.delete(Pod, key, { gracePeriodSeconds: 0 });
    await eventually(async () => expect(await policies()).toBe(0));
  },
  'owns an object with the name of a generated one': async (namespace) => {
    const metadata = { name: 'actions-gateway-proxy', namespace };
    await tenants.createNamespace(namespace);
    const own = await client.apply(
      ServiceAccount,
      { metadata: { name: 'own', namespace } },
      { fieldManager: 'team' },
    );
    const {
      apiVersion,
      kind,
      metadata: { name, uid },
    } = own;
    const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
    await client.apply(
      ServiceAccount,
      { metadata: { ...metadata, ownerReferences } },
      { fieldManager: 'team' },
    );
    await tenants.createGateway(namespace);
    await eventually(async () => expect(await reasonOf(namespace)).toBe('ProvisioningFailed'));
  },
  'sets the label and the owner of a gateway of another namespace on its own objects': async (namespace) => {
    const { metadata, apiVersion, kind } = await tenants.gateway(neighbour);
    const { name, uid = '' } = metadata;
    await tenants.createTenant(namespace);
    await tenants.createSecret(namespace);
    const labels = { 'actions-gateway.github.com/gateway': name };
    const ownerReferences = [{ apiVersion, kind, name, uid }];
    await client.create(RunnerGroup, {
      ...{ apiVersion: 'actions-gateway.github.com/v1alpha1', kind: 'RunnerGroup', spec: groupOf() },
      /* Without the finalizer, the garbage collector deletes objects whose owner is in another namespace. */
      metadata: {
        name: 'gateway-linux',
        namespace,
        labels,
        ownerReferences,
        finalizers: ['example.com/stay'],
      },
    });
    await client.apply(
      RunnerGroup,
      { metadata: { name: 'gateway-linux', namespace }, status: { activeSessions: 7 } },
      { fieldManager: 'team', subresource: 'status' },
    );
    await tenants.untilReady(namespace);
    expect(await shapeAfterChange()).toEqual(shape);
    expect((await tenants.gateway(neighbour)).status?.activeSessions).toBe(0);
  },
  'references a Secret of another namespace, and cannot find out whether it exists': async (namespace) => {
    await tenants.createTenant(namespace, { gitHubAppRef: { name: 'github-app', namespace: neighbour } });
    await eventually(async () => expect(await reasonOf(namespace)).toBe('InvalidSpec'));
    const statusText = async () => JSON.stringify((await tenants.gateway(namespace)).status?.conditions);
    const present = await statusText();
    const { generation = 0 } = (await tenants.gateway(namespace)).metadata;
    await tenants.change(namespace, { gitHubAppRef: { name: 'no-such-secret', namespace: neighbour } });
    await eventually(async () =>
      expect((await tenants.gateway(namespace)).status?.observedGeneration).toBeGreaterThan(generation),
    );
    const plain = (text: string) =>
      text.replaceAll(/"(observedGeneration":\d+|lastTransitionTime":"[^"]*")/g, '');
    expect(plain(await statusText())).toBe(plain(present));
    expect((await client.list(Secret, { namespace })).items).toEqual([]);
  },
  'puts hosts and a credential into its URL': async (namespace) => {
    await tenants.createTenant(namespace, { gitHubURL: 'https://github.com,*.example.com/acme' });
    await eventually(async () => expect(await reasonOf(namespace)).toBe('InvalidSpec'));
    expect(await deploymentsOf(namespace)).toEqual([]);
  },
  'forges the fields that the gmc writes on its objects': async (namespace) => {
    await tenants.createTenant(namespace);
    await tenants.createSecret(namespace);
    await tenants.untilReady(namespace);
    const key = { name: 'actions-gateway-controller', namespace };
    await client.patch(Deployment, key, merge({ metadata: { ownerReferences: null } }));
    await client.patch(NetworkPolicy, key, merge({ metadata: { labels: null } }));
    await eventually(async () => {
      const { metadata } = await client.get(Deployment, key);
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'ActionsGateway' }]);
      const policy = await client.get(NetworkPolicy, key);
      expect(policy.metadata.labels).toMatchObject({ 'actions-gateway.github.com/gateway': 'gateway' });
    });
    const annotations = { 'actions-gateway.github.com/proxy-authorities': 'forged' };
    await client.patch(Deployment, key, merge({ spec: { template: { metadata: { annotations } } } }));
    await eventually(async () => {
      const { spec } = await client.get(Deployment, key);
      expect(JSON.stringify(spec?.template.metadata)).not.toContain('forged');
    });
  },
  'holds its objects by finalizers': async (namespace) => {
    await tenants.createTenant(namespace, { runnerGroups: [groupOf()] });
    await tenants.createSecret(namespace);
    await tenants.untilReady(namespace);
    const finalizers = ['example.com/stay'];
    const group = { name: 'gateway-linux', namespace };
    const proxy = { name: 'actions-gateway-proxy', namespace };
    await client.patch(RunnerGroup, group, merge({ metadata: { finalizers } }));
    await client.patch(Deployment, proxy, merge({ metadata: { finalizers } }));
    await client.delete(ActionsGateway, { name: 'gateway', namespace });
    await eventually(
      () => expect(tenants.gateway(namespace)).rejects.toMatchObject({ type: 'NotFound' }),
      30_000,
    );
  },
  'continuously deletes and changes its objects': async (namespace) => {
    await tenants.createTenant(namespace, { runnerGroups: [groupOf()] });
    await tenants.createSecret(namespace);
    await tenants.untilReady(namespace);
    let isOver = false;
    const meddle = async (): Promise<void> => {
      for (let round = 0; !isOver; round++) {
        const key = { name: 'actions-gateway-workload', namespace };
        await client.patch(NetworkPolicy, key, merge({ spec: { egress: [{}] } })).catch(() => undefined);
        for (const kind of [Deployment, ServiceAccount, NetworkPolicy])
          await client.delete(kind, { name: 'actions-gateway-proxy', namespace }).catch(() => undefined);
      }
    };
    const meddling = meddle();
    await expectNeighbourUnharmed();
    isOver = true;
    await meddling;
    await tenants.untilReady(namespace);
  },
  'has an exhausted quota, and resources that no pod can get': async (namespace) => {
    await tenants.createNamespace(namespace);
    const quota = { metadata: { name: 'none', namespace }, spec: { hard: { pods: '0' } } };
    await client.apply(ResourceQuota, quota, { fieldManager: 'platform' });
    const { proxy } = gatewayOf().spec;
    await tenants.createGateway(namespace, { proxy: { ...proxy, resources: { requests: { cpu: '-1' } } } });
    await eventually(async () =>
      expect(await reasonOf(namespace)).toMatch(/ProvisioningFailed|SecretNotFound/),
    );
  },
  'keeps the finalizer of a RunnerGroup that its controller would remove': async (namespace) => {
    await tenants.createTenant(namespace, { runnerGroups: [groupOf()] });
    await tenants.createSecret(namespace);
    await tenants.untilReady(namespace);
    const finalizers = [runnerFinalizers.agentPoolCleanup];
    const key = { name: 'gateway-linux', namespace };
    await client.patch(RunnerGroup, key, merge({ metadata: { finalizers } }));
    await client.delete(ActionsGateway, { name: 'gateway', namespace });
    await eventually(async () => expect(await reasonOf(namespace)).toBe('Deleting'));
  },
};

describe('a tenant that', () => {
  it.each(Object.keys(attacks).map((title, index) => [title, `hostile-${index}`] as const))(
    '%s does not affect its neighbor',
    async (title, namespace) => {
      await attacks[title]?.(namespace);
      await expectNeighbourUnharmed();
    },
  );
});
