import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ActionsGateway, fieldManagers, RunnerGroup, runnerFinalizers } from '@interlock/api';
import { controllerReference, Deployment, NetworkPolicy, Pod } from '@interlock/kube';
import { eventually, type TestManager } from '@interlock/kube/testing';
import { ownerLabel } from '../src/render/objects.js';
import { groupOf } from '../src/testing/builders.js';
import { Tenants } from './harness/tenants.js';

const namespace = 'team-a';

let tenants: Tenants;
let gmc: TestManager;
beforeAll(async () => {
  tenants = await Tenants.start();
  gmc = tenants.startGmc();
});
afterAll(async () => {
  await gmc.stop();
  await tenants.close();
});

const policies = async (): Promise<string[]> => {
  const { items } = await tenants.client.list(NetworkPolicy, { namespace });
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name);
};

it('removes the owner reference and the label of Argo CD that an earlier gmc set on its policies', async () => {
  const { client } = tenants;
  await tenants.createTenant('team-b');
  const { apiVersion, kind, metadata: owner } = await tenants.gateway('team-b');
  const key = { name: 'actions-gateway-workload', namespace: 'team-b' };
  const earlier = {
    metadata: {
      ...key,
      labels: { 'app.kubernetes.io/instance': owner.name, [ownerLabel]: owner.name },
      ownerReferences: [controllerReference({ apiVersion, kind, metadata: owner })],
    },
    spec: { podSelector: {}, policyTypes: ['Egress'] },
  };
  await client.apply(NetworkPolicy, earlier, { fieldManager: fieldManagers.gmc });
  await tenants.createSecret('team-b');
  await tenants.untilReady('team-b');
  await eventually(async () => {
    const { metadata } = await client.get(NetworkPolicy, key);
    expect(metadata.ownerReferences).toBeUndefined();
    expect(metadata.labels).not.toHaveProperty(['app.kubernetes.io/instance']);
  });
  await client.delete(ActionsGateway, { name: 'gateway', namespace: 'team-b' });
  await eventually(() => expect(tenants.gateway('team-b')).rejects.toMatchObject({ type: 'NotFound' }));
  expect((await client.list(NetworkPolicy, { namespace: 'team-b' })).items).toEqual([]);
});

it('isolates workers of a gateway that is deleted in the foreground until they have ended', async () => {
  const { client } = tenants;
  await tenants.createTenant(namespace, { runnerGroups: [groupOf()] });
  await tenants.createSecret(namespace);
  await tenants.untilReady(namespace);
  const group = { name: 'gateway-linux', namespace };
  const hold = (finalizers: string[]) =>
    client.patch(RunnerGroup, group, { type: 'merge', patch: { metadata: { finalizers } } });
  await hold([runnerFinalizers.agentPoolCleanup]);
  const worker = await tenants.createWorker(namespace);
  const all = await policies();
  expect(all).toHaveLength(3);
  await client.delete(ActionsGateway, { name: 'gateway', namespace }, { propagationPolicy: 'Foreground' });
  await eventually(async () => expect((await client.list(Deployment, { namespace })).items).toEqual([]));
  await hold([]);
  await eventually(async () =>
    expect((await tenants.condition(namespace, 'Ready'))?.message).toContain('worker pods'),
  );
  expect(await policies()).toEqual(all);
  await client.delete(Pod, worker, { gracePeriodSeconds: 0 });
  await eventually(async () => {
    await expect(tenants.gateway(namespace)).rejects.toMatchObject({ type: 'NotFound' });
    expect(await policies()).toEqual([]);
  });
});
