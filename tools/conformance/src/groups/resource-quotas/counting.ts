import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { configMap, secret } from '../../suite/objects.js';
import { podNamespace } from '../../suite/pods.js';
import { enforceQuota, usedOf } from '../../suite/quotas.js';
import { accepted, create } from '../../suite/reading.js';
import { deployment, deployments } from '../../suite/workloads.js';

function service(name: string, type: string, ports: number): object {
  const list = Array.from({ length: ports }, (_, index) => ({ name: `p${index}`, port: 80 + index }));
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { type, ports: list } };
}

/** Rules about quotas for the number of objects. */
export function countingRules(rule: Rule): void {
  rule('counts objects of core kinds by their name', async (scope) => {
    const path = await podNamespace(scope);
    const quota = await enforceQuota(scope, path, { secrets: '1', 'count/secrets': '5' });
    await create(scope, `${path}/secrets`, secret('one'));
    expect(usedOf(accepted(await scope.api.get(quota)))).toEqual({ secrets: '1', 'count/secrets': '1' });
    const { status, body } = await scope.api.post(`${path}/secrets`, secret('two'));
    expect([status, body.message]).toEqual([
      403,
      'secrets "two" is forbidden: exceeded quota: quota, requested: secrets=1, used: secrets=1, limited: secrets=1',
    ]);
  });

  rule('counts objects of any kind by count/<resource>.<group>', async (scope) => {
    const path = await podNamespace(scope);
    await enforceQuota(scope, path, { 'count/deployments.apps': '1' });
    const collection = deployments(path.slice(path.lastIndexOf('/') + 1));
    await create(scope, collection, deployment('one'));
    const { status, body } = await scope.api.post(collection, deployment('two'));
    expect([status, body.details]).toEqual([403, { name: 'two', group: 'apps', kind: 'deployments' }]);
    expect(body.message).toBe(
      'deployments.apps "two" is forbidden: exceeded quota: quota, requested: count/deployments.apps=1, used: count/deployments.apps=1, limited: count/deployments.apps=1',
    );
  });

  rule('names an object by the name that was generated for it', async (scope) => {
    const path = await podNamespace(scope);
    await enforceQuota(scope, path, { secrets: '0' });
    const generated = { apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 'made-' } };
    const { status, body } = await scope.api.post(`${path}/secrets`, generated);
    expect([status, body.message]).toEqual([
      403,
      expect.stringMatching(/^secrets "made-\w+" is forbidden: /),
    ]);
  });

  rule('does not check updates of objects that it counts', async (scope) => {
    const path = await podNamespace(scope);
    await create(scope, `${path}/configmaps`, configMap('one'));
    await enforceQuota(scope, path, { 'count/configmaps': '0' });
    accepted(await scope.api.patch(`${path}/configmaps/one`, 'merge', { data: { key: 'value' } }));
    expect((await scope.api.post(`${path}/configmaps`, configMap('two'))).status).toBe(403);
  });

  rule('charges the node ports of services, and those that a change adds', async (scope) => {
    const path = await podNamespace(scope);
    const quota = await enforceQuota(scope, path, { services: '2', 'services.nodeports': '2' });
    await create(scope, `${path}/services`, service('one', 'NodePort', 1));
    const used = accepted(await scope.api.get(quota));
    expect(usedOf(used)).toEqual({ services: '1', 'services.nodeports': '1' });
    const { spec } = service('one', 'NodePort', 3) as { spec: object };
    const { status, body } = await scope.api.patch(`${path}/services/one`, 'merge', { spec });
    expect([status, body.message]).toEqual([
      403,
      'services "one" is forbidden: exceeded quota: quota, requested: services.nodeports=2, used: services.nodeports=1, limited: services.nodeports=2',
    ]);
  });

  rule('takes room of every quota, and refuses what one of them refuses', async (scope) => {
    const path = await podNamespace(scope);
    const wide = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'wide' },
      spec: { hard: { secrets: '9' } },
    };
    await create(scope, `${path}/resourcequotas`, wide);
    await scope.eventually(`${path}/resourcequotas/wide`, ({ body }) => 'secrets' in usedOf(body));
    await enforceQuota(scope, path, { secrets: '0' });
    const { body } = await scope.api.post(`${path}/secrets`, secret('one'));
    expect(body.message).toMatch(/^secrets "one" is forbidden: exceeded quota: quota, /);
    const { body: after } = await scope.api.get(`${path}/resourcequotas/wide`);
    expect(usedOf(after)).toEqual({ secrets: '0' });
  });
}
