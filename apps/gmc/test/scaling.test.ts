import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Deployment, type Client } from '@interlock/kube';
import { groupOf } from '../src/testing/builders.js';
import { Tenants } from './harness/tenants.js';

const key = { name: 'actions-gateway-controller', namespace: 'team-a' };

let tenants: Tenants;
beforeAll(async () => {
  tenants = await Tenants.start();
});
afterAll(() => tenants.close());

/** Returns a client that calls a function before its next apply of a controller. */
function overtaken(client: Client, overtake: () => Promise<unknown>): Client {
  return new Proxy(client, {
    get(target, name) {
      if (name === 'apply')
        return async (...args: Parameters<Client['apply']>) => {
          if (args[0] === Deployment && args[1].metadata.name === key.name) await overtake();
          return target.apply(...args);
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

it('keeps the number of controllers that a team sets while the gmc applies a change of the gateway', async () => {
  let scaleTo: number | undefined;
  const gmc = tenants.startGmc((client) =>
    overtaken(client, async () => {
      const replicas = scaleTo;
      if (replicas === undefined) return;
      scaleTo = undefined;
      await tenants.client.patch(Deployment, key, { type: 'merge', patch: { spec: { replicas } } });
    }),
  );
  await tenants.createTenant('team-a', { runnerGroups: [groupOf()] });
  await tenants.createSecret('team-a');
  await tenants.untilReady('team-a');
  await gmc.rest();
  scaleTo = 5;
  await tenants.change('team-a', { logLevel: 'debug' });
  await tenants.untilReady('team-a');
  await gmc.rest();
  const { spec } = await tenants.client.get(Deployment, key);
  expect(JSON.stringify(spec)).toContain('--log-level=debug');
  expect(spec?.replicas).toBe(5);
  await gmc.stop();
});
