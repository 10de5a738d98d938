import { describe, expect, it } from '@jest/globals';
import { objectAt, objectsAt, textAt } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import type { Reply } from '../testing/client.js';
import { crds, gadget, gadgetDefinition, useCluster } from '../testing/harness.js';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
const api = useCluster();

let namespaces = 0;

/** Creates a namespace for one test. Returns the path of its core kinds. */
async function useNamespace(): Promise<string> {
  namespaces += 1;
  const name = `quota-${namespaces}`;
  await api.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return `/api/v1/namespaces/${name}`;
}

function pod(name: string, resources: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  const containers = [{ name: 'c', image: 'x:1', resources }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers, ...spec } };
}

/** Creates a quota and waits until it is enforced. */
async function createQuota(path: string, hard: JsonObject, spec: JsonObject = {}): Promise<void> {
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard, ...spec } };
  await api.create(`${path}/resourcequotas`, quota);
  await api.until(`${path}/resourcequotas/q`, ({ body }) => 'hard' in objectAt(body, 'status'));
}

const usedOf = ({ body }: Reply): JsonObject => objectAt(body, 'status', 'used');
const answer = ({ status, body }: Reply): unknown => [status, body['message']];
const cpu = (amount: string): JsonObject => ({ requests: { cpu: amount } });

describe('a ResourceQuota', () => {
  it('is charged for pods, refuses pods that exceed it, and is credited when pods are deleted', async () => {
    const path = await useNamespace();
    await createQuota(path, { pods: '2', 'requests.cpu': '1' });
    expect(answer(await api.create(`${path}/pods`, pod('p0')))).toEqual([
      403,
      'pods "p0" is forbidden: failed quota: q: must specify requests.cpu for: c',
    ]);
    expect((await api.create(`${path}/pods`, pod('p1', cpu('0.6')))).status).toBe(201);
    const charged = await api.get(`${path}/resourcequotas/q`);
    expect(usedOf(charged)).toEqual({ pods: '1', 'requests.cpu': '600m' });
    expect(answer(await api.create(`${path}/pods`, pod('p2', cpu('500m'))))).toEqual([
      403,
      'pods "p2" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1',
    ]);
    const { body } = await api.get(`${path}/resourcequotas`, { accept: table });
    expect(objectsAt(body, 'rows').map(({ cells }) => cells)).toEqual([
      ['q', 'pods: 1/2, requests.cpu: 600m/1', '', expect.any(String)],
    ]);
    await api.remove(`${path}/pods/p1`);
    await api.until(`${path}/resourcequotas/q`, (reply) => usedOf(reply)['pods'] === '0');
    expect((await api.create(`${path}/pods`, pod('p2', cpu('1')))).status).toBe(201);
  });

  it('cannot be exceeded by concurrent writes', async () => {
    const path = await useNamespace();
    await createQuota(path, { pods: '3', 'count/configmaps': '9' });
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => api.create(`${path}/pods`, pod(`p${index}`))),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403, 403, 403, 403]);
    expect(usedOf(await api.get(`${path}/resourcequotas/q`))).toMatchObject({ pods: '3' });
  });

  it('is never exceeded while pods are created and deleted', async () => {
    const path = await useNamespace();
    await createQuota(path, { 'requests.cpu': '1' });
    const { body } = await api.get(`${path}/pods`);
    const version = textAt(body, 'metadata', 'resourceVersion');
    const watched = api.client.watch(`${path}/pods?watch=true&resourceVersion=${version}`, (events) =>
      events.some(({ type, object }) => type === 'DELETED' && object.metadata['name'] === 'last'),
    );
    const comeAndGo = async (name: string): Promise<number> => {
      const { status } = await api.create(`${path}/pods`, pod(name, cpu('300m')));
      if (status === 201) await api.remove(`${path}/pods/${name}`);
      return status;
    };
    const rounds = Array.from({ length: 6 }, async (_, round) => {
      for (let turn = 0; turn < 3; turn += 1) await comeAndGo(`p${round}-${turn}`);
    });
    await Promise.all(rounds);
    await api.until(`${path}/resourcequotas/q`, (reply) => usedOf(reply)['requests.cpu'] === '0');
    expect(await comeAndGo('last')).toBe(201);
    let [count, most] = [0, 0];
    for (const { type } of await watched) {
      count += type === 'ADDED' ? 1 : type === 'DELETED' ? -1 : 0;
      most = Math.max(most, count);
    }
    expect(count).toBe(0);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(3);
  });

  it('does not count dry runs or pods that have ended', async () => {
    const path = await useNamespace();
    await createQuota(path, { pods: '1' });
    expect((await api.create(`${path}/pods?dryRun=All`, pod('dry'))).status).toBe(201);
    expect((await api.create(`${path}/pods`, pod('p1'))).status).toBe(201);
    expect((await api.create(`${path}/pods?dryRun=All`, pod('dry'))).status).toBe(403);
    await api.patch(`${path}/pods/p1/status`, { status: { phase: 'Succeeded' } });
    await api.until(`${path}/resourcequotas/q`, (reply) => usedOf(reply)['pods'] === '0');
    expect((await api.create(`${path}/pods`, pod('p2'))).status).toBe(201);
  });

  it('is corrected when its usage is wrong', async () => {
    const path = await useNamespace();
    await createQuota(path, { secrets: '5' });
    await api.patch(`${path}/resourcequotas/q/status`, { status: { used: { secrets: '4' } } });
    const { body } = await api.until(`${path}/resourcequotas/q`, (reply) => usedOf(reply)['secrets'] === '0');
    const managers = objectsAt(body, 'metadata', 'managedFields').map(({ manager }) => manager);
    expect(managers).toContain('kube-controller-manager');
    const again = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'twice' } };
    expect((await api.create(`${path}/secrets`, again)).status).toBe(201);
    expect((await api.create(`${path}/secrets`, again)).status).toBe(409);
    await api.until(`${path}/resourcequotas/q`, (reply) => usedOf(reply)['secrets'] === '1');
  });

  it('counts custom resources as soon as they are served', async () => {
    const path = await useNamespace();
    const name = 'count/gadgets.test.dev';
    await createQuota(path, { [name]: '1' });
    await api.create(crds, gadgetDefinition());
    await api.until(`${path}/resourcequotas/q`, (reply) => usedOf(reply)[name] === '0');
    const gadgets = `${path.replace('/api/v1', '/apis/test.dev/v1')}/gadgets`;
    expect((await api.create(gadgets, gadget('one'))).status).toBe(201);
    expect(answer(await api.create(gadgets, gadget('two')))).toEqual([
      403,
      `gadgets.test.dev "two" is forbidden: exceeded quota: q, requested: ${name}=1, used: ${name}=1, limited: ${name}=1`,
    ]);
  });

  it('applies only to pods of the priority class that it selects', async () => {
    const path = await useNamespace();
    await api.create(classes, priorityClass('quota-high', 100));
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['quota-high'] }];
    await createQuota(path, { pods: '0' }, { scopeSelector: { matchExpressions } });
    expect((await api.create(`${path}/pods`, pod('low'))).status).toBe(201);
    const high = pod('high', {}, { priorityClassName: 'quota-high' });
    expect(answer(await api.create(`${path}/pods`, high))).toEqual([
      403,
      'pods "high" is forbidden: exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0',
    ]);
  });
});

describe('a LimitRange', () => {
  it('sets defaults of pods before they are validated and charged, and refuses pods that exceed it', async () => {
    const path = await useNamespace();
    const limits = [
      { type: 'Container', default: { cpu: '500m' }, defaultRequest: { cpu: '200m' }, max: { cpu: 1 } },
    ];
    const limitRange = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l' }, spec: { limits } };
    await api.create(`${path}/limitranges`, limitRange);
    await createQuota(path, { 'limits.cpu': '600m' });
    const { body } = await api.create(`${path}/pods`, pod('p'));
    expect(objectsAt(body, 'spec', 'containers')[0]?.['resources']).toEqual({
      limits: { cpu: '500m' },
      requests: { cpu: '200m' },
    });
    expect(objectAt(body, 'metadata', 'annotations')).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
    });
    expect(answer(await api.create(`${path}/pods`, pod('more', cpu('700m'))))).toEqual([
      422,
      'Pod "more" is invalid: spec.containers[0].resources.requests: Invalid value: "700m": must be less than or equal to cpu limit of 500m',
    ]);
    const big = pod('big', { limits: { cpu: '2' }, requests: { cpu: '1' } });
    expect(answer(await api.create(`${path}/pods`, big))).toEqual([
      403,
      'pods "big" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
    ]);
    expect(usedOf(await api.get(`${path}/resourcequotas/q`))).toEqual({ 'limits.cpu': '500m' });
  });
});

function priorityClass(name: string, value: number, fields: JsonObject = {}): JsonObject {
  return { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, ...fields };
}

describe('a PriorityClass', () => {
  const spec = ({ body }: Reply): JsonObject => objectAt(body, 'spec');

  it('sets the priority of pods, including the default class for pods without a class', async () => {
    const path = `${await useNamespace()}/pods`;
    await api.create(classes, priorityClass('never', 7, { preemptionPolicy: 'Never' }));
    expect(spec(await api.create(path, pod('none')))).toMatchObject({
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
    });
    const never = await api.create(path, pod('never', {}, { priorityClassName: 'never' }));
    expect(spec(never)).toMatchObject({ priority: 7, preemptionPolicy: 'Never' });
    const { priority: _priority, preemptionPolicy: _policy, ...sent } = spec(never) as JsonObject;
    const again = await api.put(`${path}/never`, { ...never.body, spec: sent });
    expect([again.status, spec(again)]).toEqual([200, spec(never)]);
    await api.create(classes, priorityClass('usual', 3, { globalDefault: true }));
    expect(spec(await api.create(path, pod('usual')))).toMatchObject({
      priorityClassName: 'usual',
      priority: 3,
    });
    expect(answer(await api.create(classes, priorityClass('second', 4, { globalDefault: true })))).toEqual([
      403,
      'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
    ]);
    expect((await api.patch(`${classes}/usual`, { description: 'as usual' })).body).toMatchObject({
      metadata: { generation: 1 },
      description: 'as usual',
    });
    await api.remove(`${classes}/usual`);
  });

  it.each<[JsonObject, string]>([
    [{ priorityClassName: 'nope' }, 'no PriorityClass with name nope was found'],
    [
      { priority: 5 },
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
    [
      { preemptionPolicy: 'Never' },
      'the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
    ],
  ])('refuses pods with %j', async (fields, why) => {
    const reply = await api.create('/api/v1/namespaces/default/pods?dryRun=All', pod('p', {}, fields));
    expect(answer(reply)).toEqual([403, `pods "p" is forbidden: ${why}`]);
  });

  it('of the system exists from the start and cannot be deleted', async () => {
    const { body } = await api.get(classes, { accept: table });
    const rows = objectsAt(body, 'rows').map(({ cells }) => cells);
    expect(rows).toContainEqual([
      'system-cluster-critical',
      2_000_000_000,
      false,
      expect.any(String),
      'PreemptLowerPriority',
    ]);
    expect(rows).toContainEqual([
      'system-node-critical',
      2_000_001_000,
      false,
      expect.any(String),
      'PreemptLowerPriority',
    ]);
    expect(answer(await api.remove(`${classes}/system-node-critical`))).toEqual([
      403,
      'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
    ]);
  });
});

describe('quantities', () => {
  it('are stored in their canonical form', async () => {
    const resources = { requests: { cpu: 0.5, memory: '1024Mi' }, limits: { cpu: '2000m', memory: '1.5Gi' } };
    const { body } = await api.create('/api/v1/namespaces/default/pods?dryRun=All', pod('p', resources));
    expect(objectsAt(body, 'spec', 'containers')[0]?.['resources']).toEqual({
      requests: { cpu: '500m', memory: '1Gi' },
      limits: { cpu: '2', memory: '1536Mi' },
    });
  });

  it('that cannot be parsed are refused', async () => {
    const reply = await api.create('/api/v1/namespaces/default/pods?dryRun=All', pod('p', cpu('lots')));
    expect(answer(reply)).toEqual([
      400,
      `Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
    ]);
  });
});
