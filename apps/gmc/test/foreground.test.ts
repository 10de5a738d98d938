import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ActionsGateway, RunnerGroup, runnerFinalizers } from '@interlock/api';
import { Deployment, NetworkPolicy, Pod } from '@interlock/kube';
import { eventually, type TestManager } from '@interlock/kube/testing';
import { groupOf } from '../src/testing/builders.js';
import { Tenants } from './harness/tenants.js';

const namespace = 'team-a';

let tenants: Tenants;
let gmc: TestManager;
beforeAll(async () => {
  tenants = await Tenants.start();
  gmc = tenants.startGmc();
}, 30_000);
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
  }, 30_000);
}, 90_000);
