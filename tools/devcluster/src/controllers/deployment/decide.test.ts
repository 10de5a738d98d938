import { describe, expect, it } from '@jest/globals';
import { objectsAt, textAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { decide, type DeploymentPlan } from './decide.js';
import { limitsOf } from './limits.js';
import { templateHash } from './template.js';

const now = Date.parse('2030-01-01T00:00:00Z');
const revision = 'deployment.kubernetes.io/revision';
const template = (image: string): JsonObject => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'app', image }] },
});

function deployment(spec: JsonObject = {}, status: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', uid: 'd', generation: 2, annotations: { team: 'a' } },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'web' } },
      template: template('new'),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...spec,
    },
    status,
  };
}

/** Returns a ReplicaSet with a size and a number of available pods; smaller numbers are older. */
function replicaSet(
  number: number,
  image: string,
  size: number,
  available: number,
  annotations: Record<string, string> = {},
): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `web-${String(number)}`,
      uid: `r${String(number)}`,
      generation: 1,
      creationTimestamp: `2029-01-01T00:00:0${String(number)}Z`,
      annotations: {
        [revision]: String(number),
        'deployment.kubernetes.io/desired-replicas': '4',
        'deployment.kubernetes.io/max-replicas': '5',
        ...annotations,
      },
    },
    spec: { replicas: size, template: template(image) },
    status: { replicas: size, readyReplicas: available, availableReplicas: available, observedGeneration: 1 },
  };
}

const plan = (owner: KubeObject, replicaSets: KubeObject[], pods: KubeObject[] = []): DeploymentPlan =>
  decide({ deployment: owner, replicaSets, pods, now });
const sizes = ({ change }: DeploymentPlan): Record<string, number> =>
  Object.fromEntries(change.map(({ object, replicas }) => [object.metadata.name, replicas]));
const condition = ({ status }: DeploymentPlan, type: string): JsonObject | undefined =>
  objectsAt(status, 'conditions').find((one) => one['type'] === type);

describe('limitsOf', () => {
  it.each<[number, string | number, string | number, number, number]>([
    [4, '25%', '25%', 1, 1],
    [3, '25%', '25%', 1, 0],
    [10, '30%', '30%', 3, 3],
    [1, 0, '10%', 0, 1],
    [2, 5, 5, 5, 2],
    [0, '25%', '25%', 0, 0],
  ])(
    'returns for %d replicas with surge %s and unavailable %s the limits %d and %d',
    (replicas, maxSurge, maxUnavailable, a, b) => {
      const owner = deployment({
        replicas,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
      });
      expect(limitsOf(owner)).toEqual({ replicas, maxSurge: a, maxUnavailable: b });
    },
  );
});

describe('templateHash', () => {
  it('depends only on the content and on the collisions', () => {
    const [one, same] = [
      { a: 1, b: { c: 2, d: 3 } },
      { b: { d: 3, c: 2 }, a: 1 },
    ];
    expect(templateHash(one, 0)).toBe(templateHash(same, 0));
    expect(templateHash(one, 0)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
    expect(new Set([templateHash(one, 0), templateHash(one, 1), templateHash({ a: 2 }, 0)]).size).toBe(3);
  });
});

describe('a rolling update', () => {
  it('starts with a ReplicaSet of the new template, as large as the surge allows', () => {
    const before = { replicas: 4, readyReplicas: 4, availableReplicas: 4 };
    const started = plan(deployment({}, before), [replicaSet(1, 'old', 4, 4)]);
    expect(started.create).toMatchObject({
      replicas: 1,
      annotations: { team: 'a', [revision]: '2', 'deployment.kubernetes.io/max-replicas': '5' },
    });
    expect(started.annotations).toEqual({ [revision]: '2' });
    expect(sizes(started)).toEqual({ 'web-1': 3 });
    expect(started.notes[0]).toMatch(/^Scaled up replica set web-[a-z0-9]+ from 0 to 1$/);
    expect(condition(started, 'Progressing')?.['reason']).toBe('NewReplicaSetCreated');
  });

  it.each<[string, [number, number], [number, number], Record<string, number>]>([
    ['removes old pods as long as enough pods stay available', [4, 4], [1, 0], { 'web-1': 3 }],
    ['adds new pods in place of old pods', [3, 3], [1, 0], { 'web-2': 2 }],
    ['waits while no pod can be added or removed', [3, 3], [2, 0], {}],
    ['continues when new pods are available', [3, 3], [2, 2], { 'web-1': 1 }],
    ['removes old pods that are not available first', [3, 1], [2, 0], {}],
    ['removes an unavailable old pod even if few pods are available', [3, 2], [2, 2], { 'web-1': 1 }],
    ['removes the last old pods', [1, 1], [4, 4], { 'web-1': 0 }],
    ['shrinks a new ReplicaSet that is too large', [0, 0], [6, 6], { 'web-2': 4 }],
  ])('%s', (_title, [oldSize, oldReady], [newSize, newReady], expected) => {
    const owned = [
      replicaSet(1, 'old', oldSize, oldReady),
      replicaSet(2, 'new', newSize, newReady, { team: 'a' }),
    ];
    expect(sizes(plan(deployment(), owned))).toEqual(expected);
  });

  it('returns to an old ReplicaSet, which receives the highest revision', () => {
    const owned = [replicaSet(1, 'new', 0, 0), replicaSet(2, 'old', 4, 4)];
    const back = plan(deployment(), owned);
    const changed = back.change.find(({ object }) => object.metadata.name === 'web-1');
    expect(changed?.annotations).toMatchObject({ [revision]: '3', [`${revision}-history`]: '1' });
    expect(back.annotations).toEqual({ [revision]: '3' });
  });
});

describe('a Recreate rollout', () => {
  const owner = deployment({ strategy: { type: 'Recreate' } });
  const old = replicaSet(1, 'old', 0, 0);
  const pod = (phase: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'p',
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'r1', controller: true },
      ],
    },
    status: { phase },
  });

  it('scales the old ReplicaSets to zero first', () => {
    const first = plan(owner, [replicaSet(1, 'old', 4, 4)]);
    expect([first.create, sizes(first)]).toEqual([undefined, { 'web-1': 0 }]);
  });

  it.each<[string, KubeObject[], boolean]>([
    ['waits for an old pod that runs', [pod('Running')], false],
    ['continues when the old pod has ended', [pod('Failed')], true],
    ['continues without old pods', [], true],
  ])('%s', (_title, pods, creates) => {
    expect(plan(owner, [old], pods).create?.replicas).toBe(creates ? 4 : undefined);
  });
});

describe('scaling', () => {
  it('changes the only ReplicaSet with pods', () => {
    const owned = [replicaSet(1, 'old', 0, 0), replicaSet(2, 'new', 4, 4, { team: 'a' })];
    expect(sizes(plan(deployment({ replicas: 7 }), owned))).toEqual({ 'web-2': 7 });
  });

  it.each<[number, Record<string, number>]>([
    [8, { 'web-1': 5, 'web-2': 4 }],
    [2, { 'web-1': 2, 'web-2': 1 }],
    [0, { 'web-1': 0, 'web-2': 0 }],
  ])('distributes the change to %d replicas during a rollout', (replicas, expected) => {
    const owned = [replicaSet(1, 'old', 3, 3), replicaSet(2, 'new', 2, 0, { team: 'a' })];
    expect(sizes(plan(deployment({ replicas }), owned))).toEqual(expected);
  });

  it('continues while the Deployment is paused, without a rollout', () => {
    const paused = plan(deployment({ replicas: 2, paused: true }), [replicaSet(1, 'old', 4, 4)]);
    expect([paused.create, sizes(paused)]).toEqual([undefined, { 'web-1': 2 }]);
    expect(condition(paused, 'Progressing')).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused' });
  });
});

describe('the history', () => {
  it('keeps the newest of the old ReplicaSets, and the ReplicaSets with pods', () => {
    const done = { replicas: 4, updatedReplicas: 4, availableReplicas: 4, observedGeneration: 2 };
    const owned = [
      replicaSet(1, 'a', 0, 0),
      replicaSet(2, 'b', 0, 0),
      replicaSet(3, 'c', 0, 0),
      replicaSet(4, 'new', 4, 4, { team: 'a' }),
    ];
    const removed = plan(deployment({ revisionHistoryLimit: 1 }, done), owned).remove;
    expect(removed.map(({ metadata }) => metadata.name)).toEqual(['web-1', 'web-2']);
    expect(
      plan(deployment({ revisionHistoryLimit: 1 }, { ...done, availableReplicas: 3 }), owned).remove,
    ).toEqual([]);
  });
});

describe('the progress of a rollout', () => {
  const started = [
    {
      type: 'Progressing',
      status: 'True',
      reason: 'ReplicaSetUpdated',
      message: 'm',
      lastUpdateTime: '2029-12-31T23:55:00Z',
      lastTransitionTime: '2029-12-31T23:50:00Z',
    },
  ];
  const before = {
    replicas: 5,
    updatedReplicas: 2,
    readyReplicas: 5,
    availableReplicas: 3,
    conditions: started,
  };
  const owned = (available: number): KubeObject[] => [
    replicaSet(1, 'old', 3, 3),
    replicaSet(2, 'new', 2, available, { team: 'a' }),
  ];

  it.each<[string, KubeObject[], JsonObject, string, string]>([
    ['is recorded when more pods are available', owned(1), {}, 'True', 'ReplicaSetUpdated'],
    ['is unchanged while nothing changes', owned(0), {}, 'True', 'ReplicaSetUpdated'],
    [
      'is overdue after the deadline',
      owned(0),
      { progressDeadlineSeconds: 299 },
      'False',
      'ProgressDeadlineExceeded',
    ],
    [
      'ends when all pods are available',
      [replicaSet(2, 'new', 4, 4, { team: 'a' })],
      {},
      'True',
      'NewReplicaSetAvailable',
    ],
  ])('%s', (_title, replicaSets, spec, status, reason) => {
    const found = condition(plan(deployment(spec, before), replicaSets), 'Progressing');
    expect(found).toMatchObject({ status, reason });
  });

  it('updates the time of the last progress, but not the transition time', () => {
    expect(condition(plan(deployment({}, before), owned(1)), 'Progressing')).toMatchObject({
      lastUpdateTime: '2030-01-01T00:00:00Z',
      lastTransitionTime: '2029-12-31T23:50:00Z',
    });
  });

  it('is checked again a second after the deadline', () => {
    expect(plan(deployment({}, before), owned(0)).waitMs).toBe(301_000);
    expect(
      plan(deployment({ progressDeadlineSeconds: 2 ** 31 - 1 }, before), owned(0)).waitMs,
    ).toBeUndefined();
  });

  it('reports the failure of a ReplicaSet', () => {
    const [old, newest] = owned(0);
    const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'no room' };
    Object.assign(newest!, { status: { replicas: 2, conditions: [failure] } });
    const found = condition(plan(deployment({}, before), [old!, newest!]), 'ReplicaFailure');
    expect(textAt(found ?? {}, 'message')).toBe('no room');
  });
});
