import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KubeObject } from '../object.js';
import { quotaHeadroom } from './headroom.js';

const now = new Date('2026-01-01T00:00:00Z');
type Amounts = Readonly<Record<string, string>>;

function quota(hard: Amounts, used: Amounts, spec: object = {}, name = 'q'): KubeObject {
  const meta = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name } };
  return { ...meta, spec, status: { hard, used } } as KubeObject;
}

const container = (name: string, requests: Amounts, limits: Amounts = requests): object => ({
  name,
  resources: { requests, limits },
});
const runner = container('runner', { cpu: '500m', memory: '1Gi' });

function pod(spec: object = {}): KubeObject {
  const meta = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
  return { ...meta, spec: { containers: [runner], ...spec } } as KubeObject;
}

const scoped = (...scopes: string[]): object => ({ scopes });
const ofClass = (operator: string, ...values: string[]): object => ({
  scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] },
});

describe('quotaHeadroom', () => {
  it.each<[string, Amounts, Amounts, object, number]>([
    ['pods', { pods: '10' }, { pods: '7' }, {}, 3],
    ['count/pods, including pods that have ended', { 'count/pods': '10' }, { 'count/pods': '9' }, {}, 1],
    ['cpu as a request', { cpu: '2' }, { cpu: '900m' }, {}, 2],
    ['memory as a request', { memory: '4Gi' }, { memory: '1Gi' }, {}, 3],
    ['requests.cpu', { 'requests.cpu': '1' }, { 'requests.cpu': '500m' }, {}, 1],
    ['requests.cpu exactly', { 'requests.cpu': '1' }, { 'requests.cpu': '501m' }, {}, 0],
    ['limits.memory', { 'limits.memory': '2Gi' }, { 'limits.memory': '0' }, {}, 2],
    ['no pod when less is allowed than is used', { pods: '3' }, { pods: '5' }, {}, 0],
    [
      'a device',
      { 'requests.example.com/gpu': '4' },
      { 'requests.example.com/gpu': '1' },
      { containers: [container('runner', { 'example.com/gpu': '2' })] },
      1,
    ],
    [
      'an init container that needs more than the containers',
      { 'requests.cpu': '4' },
      { 'requests.cpu': '0' },
      { initContainers: [container('setup', { cpu: '2' })] },
      2,
    ],
    [
      'a sidecar in addition to the containers',
      { 'requests.cpu': '4' },
      { 'requests.cpu': '0' },
      { initContainers: [{ ...container('docker', { cpu: '1500m' }), restartPolicy: 'Always' }] },
      2,
    ],
    [
      'overhead of the runtime class',
      { 'requests.cpu': '3' },
      { 'requests.cpu': '0' },
      { overhead: { cpu: '500m' } },
      3,
    ],
  ])('counts %s', (_, hard, used, spec, pods) => {
    const room = quotaHeadroom([quota(hard, used)], pod(spec), now);
    expect(room.pods).toBe(pods);
    expect(room.tightest).toMatchObject([{ quota: 'q', resource: Object.keys(hard)[0], pods }]);
  });

  it.each<[string, Amounts, Amounts]>([
    ['objects of other kinds', { configmaps: '1' }, { configmaps: '1' }],
    [
      'a resource that the pod does not use',
      { 'limits.ephemeral-storage': '1' },
      { 'limits.ephemeral-storage': '1' },
    ],
    ['anything before the API server has counted it', {}, {}],
  ])('is not limited by a quota for %s', (_, hard, used) => {
    const spec = { hard: { pods: '0' } };
    expect(quotaHeadroom([quota(hard, used, spec)], pod(), now)).toEqual({ pods: Infinity, tightest: [] });
  });

  it.each<[string, object, object, boolean]>([
    ['Terminating', scoped('Terminating'), { activeDeadlineSeconds: 60 }, true],
    ['Terminating', scoped('Terminating'), {}, false],
    ['NotTerminating', scoped('NotTerminating'), {}, true],
    ['NotTerminating', scoped('NotTerminating'), { activeDeadlineSeconds: 60 }, false],
    ['BestEffort', scoped('BestEffort'), { containers: [{ name: 'runner' }] }, true],
    ['BestEffort', scoped('BestEffort'), {}, false],
    ['NotBestEffort', scoped('NotBestEffort'), {}, true],
    ['PriorityClass In', ofClass('In', 'low'), { priorityClassName: 'low' }, true],
    ['PriorityClass In', ofClass('In', 'low'), { priorityClassName: 'high' }, false],
    ['PriorityClass NotIn', ofClass('NotIn', 'low'), {}, true],
    ['PriorityClass Exists', ofClass('Exists'), {}, false],
    ['two scopes', scoped('NotTerminating', 'BestEffort'), {}, false],
  ])('applies the scope %s of the quota %j to the pod %j', (_, scopes, spec, isLimited) => {
    const { pods } = quotaHeadroom([quota({ pods: '1' }, { pods: '1' }, scopes)], pod(spec), now);
    expect(pods).toBe(isLimited ? 0 : Infinity);
  });

  it('lists each resource of each quota that leaves the least room', () => {
    const quotas = [
      quota({ pods: '9', 'requests.cpu': '1' }, { pods: '0', 'requests.cpu': '0' }, {}, 'compute'),
      quota({ pods: '2' }, { pods: '0' }, {}, 'count'),
      quota({ pods: '3' }, { pods: '0' }, {}, 'large'),
    ];
    const { pods, tightest } = quotaHeadroom(quotas, pod(), now);
    expect(pods).toBe(2);
    expect(tightest.map(({ quota: name, resource }) => `${name} ${resource}`)).toEqual([
      'compute requests.cpu',
      'count pods',
    ]);
    expect(tightest[0]?.message).toBe(
      'exceeded quota: compute, requested: requests.cpu=500m, used: requests.cpu=0, limited: requests.cpu=1',
    );
  });

  it.each<[string, KubeObject, object, string]>([
    [
      'requires limits that the pod does not set',
      quota({ 'limits.cpu': '9' }, { 'limits.cpu': '0' }),
      { containers: [{ name: 'runner' }] },
      'failed quota: q: must specify limits.cpu for: runner',
    ],
    [
      'has not been counted completely',
      quota({ pods: '9', cpu: '1' }, { pods: '0' }),
      {},
      'status unknown for quota: q, resources: cpu,pods',
    ],
  ])('returns no room when a quota %s', (_, given, spec, message) => {
    const limit = { quota: 'q', resource: '', pods: 0, message };
    expect(quotaHeadroom([given], pod(spec), now)).toEqual({ pods: 0, tightest: [limit] });
  });

  it('never exceeds the quota and always uses all of its room', () => {
    const amount = fc.integer({ min: 0, max: 10_000 });
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 1, max: 3000 }), (hard, used, each) => {
        const one = pod({ containers: [container('runner', { cpu: `${each}m` })] });
        const given = quota({ 'requests.cpu': `${hard}m` }, { 'requests.cpu': `${used}m` });
        const { pods } = quotaHeadroom([given], one, now);
        expect(pods === 0 || used + pods * each <= hard).toBe(true);
        expect(used + (pods + 1) * each).toBeGreaterThan(hard);
      }),
    );
  });
});
