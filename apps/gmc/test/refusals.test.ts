import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ActionsGateway, RunnerGroup } from '@interlock/api';
import { ApiError, type Client } from '@interlock/kube';
import { eventually, type TestManager } from '@interlock/kube/testing';
import { groupOf } from '../src/testing/builders.js';
import { Tenants } from './harness/tenants.js';

let tenants: Tenants;
let gmc: TestManager;

beforeAll(async () => {
  tenants = await Tenants.start();
  gmc = tenants.startGmc(protecting('gateway-arm'));
});
afterAll(async () => {
  await gmc.stop();
  await tenants.close();
});

/** Returns a client for which a policy of the cluster refuses to delete the objects of a name. */
function protecting(name: string): (client: Client) => Client {
  const refusal = new ApiError('Unauthorized', 'a policy protects the object', {
    method: 'DELETE',
    path: '/x',
    code: 403,
    reason: 'Forbidden',
  });
  return (client) => {
    const remove: Client['delete'] = (kind, key, options) =>
      key.name === name ? Promise.reject(refusal) : client.delete(kind, key, options);
    return new Proxy(client, {
      get(target, property) {
        if (property === 'delete') return remove;
        const value: unknown = Reflect.get(target, property);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  };
}

it('deletes the other RunnerGroups of a gateway if the deletion of one is refused', async () => {
  await tenants.createTenant('guarded', {
    runnerGroups: [groupOf({ name: 'arm' }), groupOf({ name: 'linux' })],
  });
  await tenants.createSecret('guarded');
  await tenants.untilReady('guarded');
  await tenants.client.delete(ActionsGateway, { name: 'gateway', namespace: 'guarded' });
  await eventually(async () => {
    const { items } = await tenants.client.list(RunnerGroup, { namespace: 'guarded' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['gateway-arm']);
    const degraded = await tenants.condition('guarded', 'Degraded');
    expect(degraded?.message).toContain('RunnerGroup gateway-arm: ');
  });
});
