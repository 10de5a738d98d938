import { expect } from 'expect';
import type { Answer } from '../suite/api.js';
import { defineGroup, type Rule } from '../suite/case.js';
import { expectInvalid } from '../suite/invalid.js';
import { pod, podNamespace, resourcesOf, type Resources } from '../suite/pods.js';
import { accepted, asTable, create } from '../suite/reading.js';
import type { Scope } from '../suite/scope.js';
import type { Table } from '../suite/table.js';
import { container } from '../suite/workloads.js';
import { repeat } from '../suite/write.js';

export const limitRanges = defineGroup(
  'limit-ranges',
  { source: 'https://kubernetes.io/docs/concepts/policy/limit-range/' },
  (rule) => {
    defaulting(rule);
    constraints(rule);
    objects(rule);
  },
);

const annotation = 'kubernetes.io/limit-ranger';

function limitRange(...limits: object[]): object {
  return { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'limits' }, spec: { limits } };
}

/** Creates a LimitRange in a new namespace. @returns the path of the pods there */
async function limitedPods(scope: Scope, ...limits: object[]): Promise<string> {
  const path = await podNamespace(scope);
  await create(scope, `${path}/limitranges`, limitRange(...limits));
  return `${path}/pods`;
}

/** Repeats the creation of an object until it is refused, because admission observes a new LimitRange with a delay. */
function refusal(scope: Scope, path: string, object: object): Promise<Answer> {
  return repeat(
    () => scope.api.post(path, object, { query: { dryRun: 'All' } }),
    ({ status }) => status === 403,
  );
}

function annotated(scope: Scope, path: string, object: object): Promise<Answer> {
  return repeat(
    () => scope.api.post(path, object, { query: { dryRun: 'All' } }),
    ({ body }) => body.metadata.annotations?.[annotation] !== undefined,
  );
}

function defaulting(rule: Rule): void {
  rule('gives containers the default requests and limits, and annotates the pod', async (scope) => {
    const path = await limitedPods(scope, {
      type: 'Container',
      default: { cpu: '500m', memory: '256Mi' },
      defaultRequest: { cpu: '250m', memory: '128Mi' },
    });
    const { body } = await annotated(scope, path, pod('one'));
    expect(resourcesOf(body)).toEqual({
      requests: { cpu: '250m', memory: '128Mi' },
      limits: { cpu: '500m', memory: '256Mi' },
    });
    expect(body.metadata.annotations?.[annotation]).toBe(
      'LimitRanger plugin set: cpu, memory request for container app; cpu, memory limit for container app',
    );
  });

  rule('completes what a container states, and changes nothing of it', async (scope) => {
    const path = await limitedPods(scope, { type: 'Container', default: { cpu: '1', memory: '256Mi' } });
    const stated: Resources = { requests: { cpu: '100m' }, limits: { memory: '64Mi' } };
    const { body } = await annotated(scope, path, pod('one', stated));
    expect(resourcesOf(body)).toEqual({
      requests: { cpu: '100m', memory: '64Mi' },
      limits: { cpu: '1', memory: '64Mi' },
    });
  });

  rule('gives init containers the defaults as well', async (scope) => {
    const path = await limitedPods(scope, { type: 'Container', default: { cpu: '1' } });
    const { body } = await annotated(scope, path, pod('one', {}, { initContainers: [container('init')] }));
    const { initContainers } = body.spec as { initContainers: object[] };
    expect(initContainers[0]).toMatchObject({ resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } });
    expect(body.metadata.annotations?.[annotation]).toContain('cpu limit for init container init');
  });

  rule('completes the defaults of a LimitRange from its maximum and minimum', async (scope) => {
    const path = await podNamespace(scope);
    const limits = [
      { type: 'Container', max: { cpu: '2' }, min: { cpu: '100m', memory: '16Mi' } },
      { type: 'Pod', max: { cpu: '4' } },
    ];
    const { spec } = await create(scope, `${path}/limitranges`, limitRange(...limits));
    expect(spec).toEqual({
      limits: [
        { ...limits[0], default: { cpu: '2' }, defaultRequest: { cpu: '2', memory: '16Mi' } },
        limits[1],
      ],
    });
  });

  rule('validates a pod with the defaults that it was given', async (scope) => {
    const path = await limitedPods(scope, { type: 'Container', default: { cpu: '500m' } });
    const answer = await repeat(
      () => scope.api.post(path, pod('one', { requests: { cpu: '1' } }), { query: { dryRun: 'All' } }),
      ({ status }) => status === 422,
    );
    expectInvalid(answer, { 'spec.containers[0].resources.requests': 'FieldValueInvalid' });
  });
}

function both(cpu: string): Resources {
  return { requests: { cpu }, limits: { cpu } };
}

function constraints(rule: Rule): void {
  const cases: readonly (readonly [string, object, object, string])[] = [
    [
      'refuses a container beyond the maximum',
      { type: 'Container', max: { cpu: '1' } },
      pod('one', both('1500m')),
      'maximum cpu usage per Container is 1, but limit is 1500m',
    ],
    [
      'refuses a container below the minimum',
      { type: 'Container', min: { cpu: '100m' } },
      pod('one', both('50m')),
      'minimum cpu usage per Container is 100m, but request is 50m',
    ],
    [
      'refuses a limit that is too many times its request',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      pod('one', { requests: { cpu: '300m' }, limits: { cpu: '1' } }),
      'cpu max limit to request ratio per Container is 2, but provided ratio is 3.333333',
    ],
    [
      'refuses a container without a request where the ratio is limited',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      pod('one'),
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    ],
    [
      'refuses a pod whose containers are together beyond the maximum of pods',
      { type: 'Pod', max: { cpu: '1' } },
      pod('one', {}, { containers: ['a', 'b'].map((name) => container(name, { resources: both('600m') })) }),
      'maximum cpu usage per Pod is 1, but limit is 1200m',
    ],
    [
      'refuses a pod without limits where pods have a maximum',
      { type: 'Pod', max: { memory: '1Gi' } },
      pod('one'),
      'maximum memory usage per Pod is 1Gi.  No limit is specified',
    ],
  ];
  for (const [name, limit, object, why] of cases) {
    rule(name, async (scope) => {
      const { body } = await refusal(scope, await limitedPods(scope, limit), object);
      expect([body.reason, body.details]).toEqual(['Forbidden', { name: 'one', kind: 'pods' }]);
      expect(body.message).toBe(`pods "one" is forbidden: ${why}`);
    });
  }

  rule('reports every limit that a pod breaks', async (scope) => {
    const limit = { type: 'Container', max: { cpu: '1', memory: '1Gi' } };
    const limits = { cpu: '2', memory: '2Gi' };
    const { body } = await refusal(scope, await limitedPods(scope, limit), pod('one', { limits }));
    expect(body.message).toMatch(/^pods "one" is forbidden: \[maximum .*, maximum .*\]$/);
    expect(body.message).toContain('maximum cpu usage per Container is 1, but limit is 2');
    expect(body.message).toContain('maximum memory usage per Container is 1Gi, but limit is 2Gi');
  });

  rule('does not check pods that are there already', async (scope) => {
    const path = await podNamespace(scope);
    await create(scope, `${path}/pods`, pod('before', both('2')));
    await create(scope, `${path}/limitranges`, limitRange({ type: 'Container', max: { cpu: '1' } }));
    await refusal(scope, `${path}/pods`, pod('after', both('2')));
    const labels = { metadata: { labels: { changed: 'yes' } } };
    const changed = accepted(await scope.api.patch(`${path}/pods/before`, 'merge', labels));
    expect(resourcesOf(changed)).toEqual(both('2'));
  });
}

function objects(rule: Rule): void {
  rule('refuses a LimitRange that contradicts itself', async (scope) => {
    const type = 'Container';
    for (const [limits, field, reason] of [
      [[{ type: 'Node' }], 'type', 'FieldValueInvalid'],
      [[{ type, min: { cpu: '2' }, max: { cpu: '1' } }], 'min[cpu]', 'FieldValueInvalid'],
      [[{ type, max: { cpu: '1' }, default: { cpu: '2' } }], 'default[cpu]', 'FieldValueInvalid'],
      [
        [{ type, default: { cpu: '1' }, defaultRequest: { cpu: '2' } }],
        'defaultRequest[cpu]',
        'FieldValueInvalid',
      ],
      [[{ type, maxLimitRequestRatio: { cpu: '500m' } }], 'maxLimitRequestRatio[cpu]', 'FieldValueInvalid'],
      [[{ type, max: { bogus: '1' } }], 'max[bogus]', 'FieldValueInvalid'],
      [[{ type: 'Pod', default: { cpu: '1' } }], 'default', 'FieldValueForbidden'],
    ] as const) {
      const answer = await scope.api.post(scope.core('limitranges'), limitRange(...limits));
      expectInvalid(answer, { [`spec.limits[0].${field}`]: reason });
    }
    const twice = limitRange({ type }, { type });
    expectInvalid(await scope.api.post(scope.core('limitranges'), twice), {
      'spec.limits[1].type': 'FieldValueDuplicate',
    });
  });

  rule('creates a LimitRange by an update', async (scope) => {
    const path = await podNamespace(scope);
    const answer = await scope.api.put(
      `${path}/limitranges/limits`,
      limitRange({ type: 'Pod', max: { cpu: '1' } }),
    );
    expect([answer.status, answer.body.kind]).toEqual([201, 'LimitRange']);
  });

  rule('prints in tables when a LimitRange was created', async (scope) => {
    const path = `${await podNamespace(scope)}/limitranges`;
    const { metadata } = await create(scope, path, limitRange({ type: 'Pod', max: { cpu: '1' } }));
    const { columnDefinitions, rows } = (await scope.api.get(path, { accept: asTable }))
      .body as unknown as Table;
    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Created At']);
    expect(rows?.map(({ cells }) => cells)).toEqual([['limits', metadata.creationTimestamp]]);
  });
}
