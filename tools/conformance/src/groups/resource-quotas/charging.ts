import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { pod, podNamespace } from '../../suite/pods.js';
import { enforceQuota, usedOf } from '../../suite/quotas.js';
import { accepted, create } from '../../suite/reading.js';
import { repeat } from '../../suite/write.js';
import { container } from '../../suite/workloads.js';

/** Rules about how pods are charged to quotas, and about refused pods. */
export function chargingRules(rule: Rule): void {
  rule('charges a pod before its creation is answered', async (scope) => {
    const path = await podNamespace(scope);
    const quota = await enforceQuota(scope, path, { pods: '2', 'requests.cpu': '1', 'limits.memory': '1Gi' });
    const resources = { requests: { cpu: '250m' }, limits: { cpu: '1', memory: '512Mi' } };
    await create(scope, `${path}/pods`, pod('one', resources));
    expect(usedOf(accepted(await scope.api.get(quota)))).toEqual({
      pods: '1',
      'requests.cpu': '250m',
      'limits.memory': '512Mi',
    });
  });

  rule('refuses a pod beyond a quota, and names what is requested, used and limited', async (scope) => {
    const path = await podNamespace(scope);
    await enforceQuota(scope, path, { pods: '9', 'requests.cpu': '1', 'requests.memory': '1Gi' });
    const resources = { requests: { cpu: '600m', memory: '600Mi' } };
    await create(scope, `${path}/pods`, pod('one', resources));
    const { status, body } = await scope.api.post(`${path}/pods`, pod('two', resources));
    expect([status, body.reason, body.details]).toEqual([403, 'Forbidden', { name: 'two', kind: 'pods' }]);
    expect(body.message).toBe(
      'pods "two" is forbidden: exceeded quota: quota, requested: requests.cpu=600m,requests.memory=600Mi, used: requests.cpu=600m,requests.memory=600Mi, limited: requests.cpu=1,requests.memory=1Gi',
    );
    expect((await scope.api.get(`${path}/pods/two`)).status).toBe(404);
  });

  rule('names only what is exceeded', async (scope) => {
    const path = await podNamespace(scope);
    await enforceQuota(scope, path, { pods: '0', 'requests.cpu': '1' });
    const { body } = await scope.api.post(`${path}/pods`, pod('one', { requests: { cpu: '100m' } }));
    expect(body.message).toBe(
      'pods "one" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=0, limited: pods=0',
    );
  });

  rule('requires each container to state the cpu and memory that a quota limits', async (scope) => {
    const path = await podNamespace(scope);
    await enforceQuota(scope, path, { 'requests.cpu': '1', 'limits.memory': '1Gi' });
    const containers = [
      container('b', { resources: { requests: { cpu: '100m' } } }),
      container('a', { resources: { limits: { memory: '64Mi' } } }),
    ];
    const { status, body } = await scope.api.post(`${path}/pods`, pod('one', {}, { containers }));
    expect([status, body.message]).toEqual([
      403,
      'pods "one" is forbidden: failed quota: quota: must specify limits.memory for: b; requests.cpu for: a',
    ]);
  });

  rule('charges the larger of what init containers and containers request', async (scope) => {
    const path = await podNamespace(scope);
    const quota = await enforceQuota(scope, path, { 'requests.cpu': '9' });
    const requesting = (name: string, cpu: string): object =>
      container(name, { resources: { requests: { cpu } } });
    const containers = [requesting('a', '1'), requesting('b', '500m')];
    const initContainers = [requesting('i', '4'), requesting('j', '1')];
    await create(scope, `${path}/pods`, pod('one', {}, { containers, initContainers }));
    expect(usedOf(accepted(await scope.api.get(quota)))).toEqual({ 'requests.cpu': '4' });
    await create(scope, `${path}/pods`, pod('two', {}, { containers }));
    expect(usedOf(accepted(await scope.api.get(quota)))).toEqual({ 'requests.cpu': '5500m' });
  });

  rule('lets no two of several creations at once take the same room', async (scope) => {
    const path = await podNamespace(scope);
    const quota = await enforceQuota(scope, path, { pods: '2' });
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) => scope.api.post(`${path}/pods`, pod(name))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403]);
    expect(usedOf(accepted(await scope.api.get(quota)))).toEqual({ pods: '2' });
  });

  rule('checks a dry run and does not charge it', async (scope) => {
    const path = await podNamespace(scope);
    const quota = await enforceQuota(scope, path, { pods: '1' });
    const dryRun = { query: { dryRun: 'All' } };
    accepted(await scope.api.post(`${path}/pods`, pod('dry'), dryRun), 201);
    expect(usedOf(accepted(await scope.api.get(quota)))).toEqual({ pods: '0' });
    await create(scope, `${path}/pods`, pod('one'));
    expect((await scope.api.post(`${path}/pods`, pod('dry'), dryRun)).status).toBe(403);
  });

  rule('gives back what a deleted pod used', async (scope) => {
    const path = await podNamespace(scope);
    const quota = await enforceQuota(scope, path, { pods: '1', 'requests.cpu': '1' });
    const one = pod('one', { requests: { cpu: '1' } });
    await create(scope, `${path}/pods`, one);
    accepted(await scope.api.delete(`${path}/pods/one`));
    await scope.eventually(quota, ({ body }) => usedOf(body)['pods'] === '0');
    expect(usedOf(accepted(await scope.api.get(quota)))).toEqual({ pods: '0', 'requests.cpu': '0' });
    await repeat(
      () => scope.api.post(`${path}/pods`, one),
      ({ status }) => status === 201,
    );
  });

  rule('counts pods that have ended as objects alone', async (scope) => {
    const path = await podNamespace(scope);
    const quota = await enforceQuota(scope, path, { pods: '1', 'count/pods': '2' });
    await create(scope, `${path}/pods`, pod('ended'));
    accepted(await scope.api.patch(`${path}/pods/ended/status`, 'merge', { status: { phase: 'Failed' } }));
    await scope.eventually(quota, ({ body }) => usedOf(body)['pods'] === '0');
    expect(usedOf(accepted(await scope.api.get(quota)))).toEqual({ pods: '0', 'count/pods': '1' });
    await repeat(
      () => scope.api.post(`${path}/pods`, pod('next')),
      ({ status }) => status === 201,
    );
  });

  rule('charges extended resources by their requests', async (scope) => {
    const path = await podNamespace(scope);
    await enforceQuota(scope, path, { 'requests.example.com/gpu': '1' });
    const gpus = (count: string): object => {
      const amounts = { 'example.com/gpu': count };
      return pod('gpu', { requests: amounts, limits: amounts });
    };
    const { body } = await scope.api.post(`${path}/pods`, gpus('2'));
    expect(body.message).toBe(
      'pods "gpu" is forbidden: exceeded quota: quota, requested: requests.example.com/gpu=2, used: requests.example.com/gpu=0, limited: requests.example.com/gpu=1',
    );
    await create(scope, `${path}/pods`, gpus('1'));
  });
}
