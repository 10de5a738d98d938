import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunnerGroup } from '@interlock/api';
import { CustomResourceDefinition } from '@interlock/kube';
import { parse } from 'yaml';
import { openCluster, type TestCluster } from './testing/cluster.js';
import { root } from './testing/workshop.js';

type Spec = Readonly<Record<string, unknown>>;
interface Group {
  metadata: { resourceVersion: string };
  spec: Spec & { podTemplate: { metadata?: object; spec?: object } };
}

const file = join(root, 'charts/interlock-crds/crds/actions-gateway.github.com_runnergroups.yaml');
const definition = readFileSync(file, 'utf8');
const path = '/apis/actions-gateway.github.com/v1alpha1/namespaces/default/runnergroups';
const strict = 'fieldValidation=Strict';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await openCluster();
  await cluster.client.create(CustomResourceDefinition, parse(definition) as never);
  await expect(cluster.serves('actions-gateway.github.com/v1alpha1', 'RunnerGroup')).resolves.toBe(true);
});
afterAll(() => cluster.close());

const least: Spec = { name: 'linux', runnerLabels: ['linux'], podTemplate: {} };
const objectOf = (spec: Spec, name = 'linux') => ({
  apiVersion: 'actions-gateway.github.com/v1alpha1',
  kind: 'RunnerGroup',
  metadata: { name },
  spec,
});

/** Creates a RunnerGroup with a spec in a dry run. */
const create = (change: Spec = {}): Promise<Group> =>
  cluster.client.raw<Group>({
    method: 'POST',
    path: `${path}?dryRun=All&${strict}`,
    body: objectOf({ ...least, ...change }),
  });

const pod = (spec: object): Spec => ({ podTemplate: { spec: { containers: [], ...spec } } });
const runner = (container: object): Spec => pod({ containers: [{ name: 'runner', ...container }] });
const variable = (name: string): Spec => runner({ env: [{ name, value: 'x' }] });
const tiers = (...thresholds: number[]): Spec => ({
  priorityTiers: thresholds.map((threshold) => ({ priorityClassName: `tier-${threshold}`, threshold })),
});
const list = <T>(length: number, item: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => item(index));

describe('a RunnerGroup', () => {
  it('has the documented defaults', async () => {
    const { spec } = await create();
    expect(spec).toEqual({
      ...least,
      maxListeners: 10,
      maxEvictionRetries: 2,
      evictionRetryDelay: '5s',
      maxQuotaRetries: 5,
      quotaRetryDelay: '30s',
      completedPodTTL: '5m',
      pendingPodDeadline: '10m',
      maxWorkerLifetime: '12h',
    });
  });

  it('accepts the priority tiers of the reference', async () => {
    const priorityTiers = [
      { priorityClassName: 'runner-critical', threshold: 5 },
      { priorityClassName: 'runner-standard', threshold: 20 },
      { priorityClassName: 'runner-opportunistic', threshold: 30 },
    ];
    const { spec } = await create({ priorityTiers, maxWorkers: 30 });
    expect(spec['priorityTiers']).toEqual(priorityTiers);
  });

  it('can be applied with an empty pod template after another one', async () => {
    const apply = (podTemplate: object) => {
      const configuration = {
        metadata: { name: 'applied', namespace: 'default' },
        spec: { ...least, podTemplate },
      };
      return cluster.client.apply(RunnerGroup, configuration, { fieldManager: 'team' });
    };
    await apply({ metadata: { labels: { team: 'a' } } });
    expect((await apply({})).spec.podTemplate).toEqual({});
  });

  it('keeps a pod template unchanged, except for owners and finalizers', async () => {
    const spec = {
      containers: [
        {
          name: 'runner',
          image: 'r',
          env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
          ports: [{ containerPort: 80, protocol: 'UDP' }],
          resources: { requests: { cpu: 1, memory: '1.5Gi' }, limits: { 'example.com/gpu': '1' } },
          livenessProbe: { httpGet: { port: 'http' } },
        },
        { name: 'other', env: [{ name: 'HTTP_PROXY', value: 'x' }] },
      ],
      initContainers: [{ name: 'docker', restartPolicy: 'Always' }],
      volumes: [{ name: 'a', iscsi: { targetPortal: 'p', iqn: 'i', lun: 0 } }],
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' }],
      automountServiceAccountToken: false,
      hostNetwork: false,
      serviceAccountName: '',
    };
    const labels = { team: 'a' };
    const written = { metadata: { labels, creationTimestamp: null }, spec };
    await expect(create({ podTemplate: written })).resolves.toMatchObject({ spec: { podTemplate: written } });
    const owned = { metadata: { labels, finalizers: ['x/y'], ownerReferences: [] } };
    const lenient = await cluster.client.raw<Group>({
      method: 'POST',
      path: `${path}?dryRun=All&fieldValidation=Ignore`,
      body: objectOf({ ...least, podTemplate: owned }),
    });
    expect(lenient.spec.podTemplate).toEqual({ metadata: { labels } });
  });

  it.each<[string, Spec]>([
    ['maxListeners', { maxListeners: 1 }],
    ['maxListeners', { maxListeners: 10_000 }],
    ['maxWorkers', { maxWorkers: 1 }],
    ['maxWorkers with no tiers', { maxWorkers: 4, priorityTiers: [] }],
    ['runnerLabels', { runnerLabels: ['x'.repeat(256), ...list(99, (n) => `l${n}`)] }],
    ['priorityTiers', tiers(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)],
    ['maxEvictionRetries', { maxEvictionRetries: 0 }],
    ['maxEvictionRetries', { maxEvictionRetries: 10 }],
    ['maxQuotaRetries', { maxQuotaRetries: 0 }],
    ['maxQuotaRetries', { maxQuotaRetries: 20 }],
    ['scaleUp', { scaleUp: { maxPerSecond: 1 } }],
    ['scaleUp', { scaleUp: { maxPerSecond: 10_000, burst: 100_000 } }],
    ['logLevel', { logLevel: 'debug' }],
    ...['1s', '1000ms', '168h', '1h30m', '1.5h', '1m40.5s', '1h0m0s', '2000000µs'].map(
      (quotaRetryDelay): [string, Spec] => ['quotaRetryDelay', { quotaRetryDelay }],
    ),
    ...['0', '0s', '1ns', '167h59m59.999999999s'].map((completedPodTTL): [string, Spec] => [
      'completedPodTTL',
      { completedPodTTL },
    ]),
    ['maxWorkerLifetime', { maxWorkerLifetime: '0s' }],
    ['variables whose names only resemble reserved names', variable('MY_HTTP_PROXY')],
    ['other init containers', pod({ initContainers: [{ name: 'runners' }] })],
  ])('accepts %s: %j', async (_, change) => {
    await expect(create(change)).resolves.toMatchObject({ spec: change });
  });

  const shortest: readonly [string, string][] = [
    ['evictionRetryDelay', '1s'],
    ['quotaRetryDelay', '1s'],
    ['pendingPodDeadline', '1s'],
    ['completedPodTTL', '0s'],
    ['maxWorkerLifetime', '0s'],
  ];
  const badDurations = shortest.flatMap(([field, least]) =>
    ['-1s', '169h', '5', 'soon', '1d', '', '1h-1m', ...(least === '1s' ? ['0s', '999ms'] : [])].map(
      (text): [Spec, string] => [
        { [field]: text },
        `spec.${field}: Invalid value: "${text}": ${field} must be a duration from ${least} to 168h`,
      ],
    ),
  );

  it.each<[Spec, string]>([
    [{ name: undefined }, 'spec.name: Required value'],
    [{ name: 'A b' }, 'spec.name: Invalid value'],
    [{ runnerLabels: undefined }, 'spec.runnerLabels: Required value'],
    [{ podTemplate: undefined }, 'spec.podTemplate: Required value'],
    [{ maxListeners: 0 }, 'spec.maxListeners: Invalid value'],
    [{ maxListeners: 10_001 }, 'spec.maxListeners: Invalid value'],
    [{ maxWorkers: 0 }, 'spec.maxWorkers: Invalid value'],
    [{ runnerLabels: [] }, 'spec.runnerLabels: Invalid value'],
    [{ runnerLabels: list(101, (n) => `l${n}`) }, 'spec.runnerLabels: Too many'],
    [{ runnerLabels: ['a b'] }, 'spec.runnerLabels[0]: Invalid value'],
    [{ runnerLabels: ['a,b'] }, 'spec.runnerLabels[0]: Invalid value'],
    [{ runnerLabels: [''] }, 'spec.runnerLabels[0]: Invalid value'],
    [{ runnerLabels: ['x'.repeat(257)] }, 'spec.runnerLabels[0]: Too long'],
    [tiers(0), 'spec.priorityTiers[0].threshold: Invalid value'],
    [tiers(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), 'spec.priorityTiers: Too many'],
    [tiers(5, 5), 'spec.priorityTiers: Invalid value'],
    [tiers(5, 20, 10), 'priorityTiers must have strictly ascending thresholds'],
    [
      { ...tiers(5, 20), maxWorkers: 19 },
      'spec.maxWorkers: Invalid value: maxWorkers must equal the last priorityTiers threshold when both are set',
    ],
    [{ maxEvictionRetries: -1 }, 'spec.maxEvictionRetries: Invalid value'],
    [{ maxEvictionRetries: 11 }, 'spec.maxEvictionRetries: Invalid value'],
    [{ maxQuotaRetries: -1 }, 'spec.maxQuotaRetries: Invalid value'],
    [{ maxQuotaRetries: 21 }, 'spec.maxQuotaRetries: Invalid value'],
    [{ scaleUp: {} }, 'spec.scaleUp.maxPerSecond: Required value'],
    [{ scaleUp: { maxPerSecond: 0 } }, 'spec.scaleUp.maxPerSecond: Invalid value'],
    [{ scaleUp: { maxPerSecond: 10_001 } }, 'spec.scaleUp.maxPerSecond: Invalid value'],
    [{ scaleUp: { maxPerSecond: 1, burst: 0 } }, 'spec.scaleUp.burst: Invalid value'],
    [{ scaleUp: { maxPerSecond: 1, burst: 100_001 } }, 'spec.scaleUp.burst: Invalid value'],
    [{ logLevel: 'trace' }, 'spec.logLevel: Unsupported value'],
    [{ workerImage: 'a b' }, 'spec.workerImage: Invalid value'],
    ...badDurations,
    ...['serviceAccountName', 'serviceAccount'].map((field): [Spec, string] => [
      pod({ [field]: 'admin' }),
      `spec.podTemplate.spec.${field}: Invalid value: spec.${field} of a worker pod is always actions-gateway-worker`,
    ]),
    ...['automountServiceAccountToken', 'hostPID', 'hostNetwork', 'hostIPC'].map((field): [Spec, string] => [
      pod({ [field]: true }),
      `spec.podTemplate.spec.${field}: Invalid value: spec.${field} of a worker pod is always false`,
    ]),
    ...['ACTIONS_RUNTIME_TOKEN', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'https_proxy'].map(
      (name): [Spec, string] => [
        variable(name),
        'spec.podTemplate.spec.containers[0].env: Invalid value: env of container runner must not have',
      ],
    ),
    [
      pod({ initContainers: [{ name: 'runner' }] }),
      'spec.podTemplate.spec.initContainers[0].name: Invalid value: name runner is reserved',
    ],
    [{ podTemplate: { spec: {} } }, 'spec.podTemplate.spec.containers: Required value'],
    [pod({ containers: list(33, (n) => ({ name: `c${n}` })) }), 'spec.podTemplate.spec.containers: Too many'],
    [runner({ env: list(513, (n) => ({ name: `V${n}` })) }), 'containers[0].env: Too many'],
    [runner({ resources: { requests: { cpu: 'lots' } } }), 'containers[0].resources.requests.cpu: Invalid'],
    [runner({ image: 5 }), 'spec.podTemplate.spec.containers[0].image: Invalid value'],
    [runner({ imaeg: 'x' }), 'unknown field "spec.podTemplate.spec.containers[0].imaeg"'],
    [pod({ ephemeralContainers: [] }), 'unknown field "spec.podTemplate.spec.ephemeralContainers"'],
  ])('refuses %j and names the field', async (change, message) => {
    await expect(create(change)).rejects.toThrow(message);
  });

  it('cannot change its name', async () => {
    const { client } = cluster;
    const stored = await client.raw<Group>({ method: 'POST', path, body: objectOf(least, 'kept') });
    const update = (spec: Spec): Promise<Group> => {
      const { resourceVersion } = stored.metadata;
      const body = { ...objectOf(spec), metadata: { name: 'kept', resourceVersion } };
      return client.raw<Group>({ method: 'PUT', path: `${path}/kept?dryRun=All`, body });
    };
    await expect(update({ ...least, name: 'other' })).rejects.toThrow('name is immutable');
    await expect(update({ ...least, maxWorkers: 3 })).resolves.toMatchObject({ spec: { maxWorkers: 3 } });
  });

  it('has a schema that fits into the annotation of kubectl apply', () => {
    expect(JSON.stringify(parse(definition)).length).toBeLessThan(262_144 / 2);
  });
});
