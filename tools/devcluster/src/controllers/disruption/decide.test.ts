import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { decide, type Observed, type Scale } from './decide.js';

const now = new Date('2030-01-01T00:10:00Z');

function budget(spec: JsonObject, status: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b', namespace: 'team', generation: 3 },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
    status,
  };
}

interface PodOptions {
  ready?: boolean;
  owner?: string;
  deletionTimestamp?: string;
}

function pod(name: string, { ready = true, owner, deletionTimestamp }: PodOptions = {}): KubeObject {
  const ownerReferences =
    owner === undefined
      ? []
      : [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: { app: 'web' },
      ownerReferences,
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

const owned = (count: number, owner: string): KubeObject[] =>
  Array.from({ length: count }, (_, index) => pod(`${owner}-${String(index)}`, { owner }));

const scales: Readonly<Record<string, Scale>> = {
  four: { uid: 'four', replicas: 4 },
  three: { uid: 'three', replicas: 3 },
  job: { problem: 'jobs.batch does not implement the scale subresource' },
};

const observed = (over: Partial<Observed>): Observed => ({
  budget: budget({ minAvailable: 1 }),
  pods: [],
  scaleOf: ({ uid }) => scales[uid],
  now,
  ...over,
});

/** The numbers of a status: disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods. */
type Counts = [number, number, number, number];

function countsOf({
  disruptionsAllowed,
  currentHealthy,
  desiredHealthy,
  expectedPods,
}: JsonObject): unknown[] {
  return [disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods];
}

describe('The status of a PodDisruptionBudget', () => {
  it.each<[string, JsonObject, KubeObject[], Counts]>([
    [
      'counts all pods for an absolute number',
      { minAvailable: 2 },
      [pod('a'), pod('b'), pod('c')],
      [1, 3, 2, 3],
    ],
    ['allows no disruption without pods', { minAvailable: 0 }, [], [0, 0, 0, 0]],
    [
      'does not count pods as healthy that are not ready',
      { minAvailable: 1 },
      [pod('a'), pod('b', { ready: false })],
      [0, 1, 1, 2],
    ],
    [
      'does not count a pod as healthy that is being deleted',
      { minAvailable: 1 },
      [pod('a'), pod('b', { deletionTimestamp: 'x' })],
      [0, 1, 1, 2],
    ],
    ['rounds up a share of the scale', { minAvailable: '60%' }, owned(4, 'four'), [1, 4, 3, 4]],
    ['subtracts a maximum from the scale', { maxUnavailable: 1 }, owned(4, 'four'), [1, 4, 3, 4]],
    ['rounds up a maximum that is a share', { maxUnavailable: '30%' }, owned(4, 'four'), [2, 4, 2, 4]],
    [
      'requires no pods for a maximum above the scale',
      { maxUnavailable: 9 },
      owned(2, 'three'),
      [2, 2, 0, 3],
    ],
    [
      'adds the scales of several controllers',
      { maxUnavailable: 2 },
      [...owned(4, 'four'), ...owned(3, 'three')],
      [2, 7, 5, 7],
    ],
    [
      'does not count pods without a controller for a maximum',
      { maxUnavailable: 1 },
      [pod('a')],
      [0, 1, 0, 0],
    ],
    ['allows no disruption without limits', {}, [pod('a')], [0, 1, 0, 0]],
  ])('%s', (_, spec, pods, counts) => {
    const { status, isChanged } = decide(observed({ budget: budget(spec), pods }));
    expect(countsOf(status)).toEqual(counts);
    expect(isChanged).toBe(true);
    expect(status).toMatchObject({
      observedGeneration: 3,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: counts[0] > 0 ? 'True' : 'False',
          reason: counts[0] > 0 ? 'SufficientPods' : 'InsufficientPods',
          observedGeneration: 3,
        },
      ],
    });
  });

  it.each([
    ['job', 'jobs.batch does not implement the scale subresource'],
    ['gone', 'found no controllers for pod "gone-0"'],
  ])('allows no disruption when the scale of the controller %s is unknown', (owner, problem) => {
    const old = budget({ maxUnavailable: 1 }, { disruptionsAllowed: 1, currentHealthy: 1 });
    const decision = decide(observed({ budget: old, pods: owned(1, owner) }));
    expect(decision).toMatchObject({ problem, isChanged: true });
    expect(decision.status).toMatchObject({
      disruptionsAllowed: 0,
      currentHealthy: 1,
      conditions: [{ status: 'False', reason: 'SyncFailed', message: problem }],
    });
  });

  it('does not count an evicted pod for two minutes, and forgets deleted pods', () => {
    const disruptedPods = {
      a: '2030-01-01T00:09:00Z',
      b: '2030-01-01T00:07:59Z',
      gone: '2030-01-01T00:09:59Z',
    };
    const pods = [pod('a'), pod('b'), pod('c')];
    const decision = decide(observed({ budget: budget({ minAvailable: 1 }, { disruptedPods }), pods }));
    expect(decision.status).toMatchObject({ disruptedPods: { a: disruptedPods.a }, currentHealthy: 2 });
    expect(decision.recheckMs).toBe(60_001);
  });

  it('does not change a status that is up to date', () => {
    const pods = [pod('a')];
    const { status } = decide(observed({ pods }));
    const again = decide(observed({ budget: budget({ minAvailable: 1 }, status), pods, now: new Date(0) }));
    expect(again.isChanged).toBe(false);
  });
});
