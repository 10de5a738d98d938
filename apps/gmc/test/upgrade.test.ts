import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Deployment } from '@interlock/kube';
import { eventually, type TestManager } from '@interlock/kube/testing';
import { Tenants } from './harness/tenants.js';

const namespace = 'team-a';
const proxy = { name: 'actions-gateway-proxy', namespace };
const controller = { name: 'actions-gateway-controller', namespace };

let tenants: Tenants;
let gmc: TestManager;
beforeAll(async () => {
  tenants = await Tenants.start();
});
afterAll(async () => {
  await gmc.stop();
  await tenants.close();
});

/** Replaces the pods of a Deployment by those of another image. */
async function replacePods(key: typeof proxy, image: string): Promise<void> {
  const patch = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: image }] as const;
  await tenants.client.patch(Deployment, key, { type: 'json', patch });
  await eventually(async () => {
    const { metadata, status } = await tenants.client.get(Deployment, key);
    const { observedGeneration, replicas, updatedReplicas } = status ?? {};
    expect([observedGeneration, replicas]).toEqual([metadata.generation, updatedReplicas]);
  });
}

async function imageOf(key: typeof proxy): Promise<string | undefined> {
  const { spec } = await tenants.client.get(Deployment, key);
  return spec?.template.spec?.containers[0]?.image;
}

it('replaces the controller of an earlier release when no proxy of that release is left', async () => {
  gmc = tenants.startGmc();
  await tenants.createTenant(namespace);
  await tenants.createSecret(namespace);
  await tenants.untilReady(namespace);
  await gmc.stop();
  await replacePods(controller, 'interlock/agc:earlier');
  await replacePods(proxy, 'interlock/egress-proxy:earlier');
  const pause = (paused: boolean) =>
    tenants.client.patch(Deployment, proxy, { type: 'merge', patch: { spec: { paused } } });
  await pause(true);

  gmc = tenants.startGmc();
  await eventually(async () => expect(await imageOf(proxy)).toBe('interlock/egress-proxy:0.1.0'));
  await gmc.rest();
  expect(await imageOf(controller)).toBe('interlock/agc:earlier');
  expect((await tenants.condition(namespace, 'AGCAvailable'))?.message).toContain('waits for the rollout');

  await pause(false);
  await eventually(async () => expect(await imageOf(controller)).toBe('interlock/agc:0.1.0'));
});
