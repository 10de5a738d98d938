import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import { decide, statusOf, type ReplicaSetState } from './decide.js';
import { podsToRemove } from './removal-order.js';

const now = Date.parse('2030-01-01T00:00:00Z');
const secondsAgo = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

interface PodFields {
  phase?: string;
  node?: string;
  /** Seconds for which it has been ready. */
  ready?: number;
  cost?: string;
  restarts?: number;
  age?: number;
  deleted?: boolean;
  labels?: Record<string, string>;
}

function pod(name: string, fields: PodFields = {}): KubeObject {
  const {
    phase = 'Running',
    node = 'n1',
    ready,
    cost,
    restarts = 0,
    age = 1000,
    deleted,
    labels = {},
  } = fields;
  const conditions =
    ready === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: secondsAgo(ready) }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid: name,
      labels,
      creationTimestamp: secondsAgo(age),
      ...(cost !== undefined && { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
      ...(deleted === true && { deletionTimestamp: secondsAgo(1) }),
    },
    spec: { nodeName: node },
    status: { phase, conditions, containerStatuses: [{ name: 'app', restartCount: restarts }] },
  };
}

function replicaSet(spec: object = {}, rest: object = {}): KubeObject {
  const template = { metadata: { labels: { app: 'web' } } };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web', uid: 'u', generation: 3 },
    spec: { replicas: 2, template, ...spec },
    ...rest,
  };
}

const state = (pods: KubeObject[], owner = replicaSet()): ReplicaSetState => ({
  replicaSet: owner,
  pods,
  related: pods,
  now,
});

describe('podsToRemove', () => {
  it.each<[string, PodFields, PodFields]>([
    ['without a node', { node: '' }, { phase: 'Pending' }],
    ['that is pending', { phase: 'Pending' }, { phase: 'Unknown' }],
    ['of an unknown phase', { phase: 'Unknown' }, {}],
    ['that is not ready', {}, { ready: 1 }],
    ['that costs less', { ready: 500, cost: '-1' }, { ready: 1 }],
    ['whose cost is not a number', { ready: 1, cost: 'x' }, { ready: 500, cost: '1' }],
    ['that became ready much later', { ready: 1 }, { ready: 500 }],
    ['that restarted more often', { ready: 5, restarts: 2 }, { ready: 5, restarts: 1 }],
    ['that is much younger', { age: 1 }, { age: 500 }],
    ['with the smaller uid among pods of about the same age', { ready: 900 }, { ready: 899 }],
  ])('prefers a pod %s', (_title, first, second) => {
    const [a, b] = [pod('a', first), pod('b', second)];
    for (const pods of [
      [a, b],
      [b, a],
    ]) {
      expect(podsToRemove(pods, 1, pods, now).map(({ metadata }) => metadata.name)).toEqual(['a']);
    }
  });

  it('prefers a pod on the node with the most pods of the same owner', () => {
    const pods = [pod('a', { node: 'n1' }), pod('b', { node: 'n2' })];
    const related = [...pods, pod('c', { node: 'n2' })];
    expect(podsToRemove(pods, 1, related, now)).toEqual([pods[1]]);
  });
});

describe('decide', () => {
  it.each<[string, KubeObject[], object, { create: number; remove: string[] }]>([
    ['creates the missing pods', [pod('a')], {}, { create: 1, remove: [] }],
    [
      'replaces pods that have ended',
      [pod('a'), pod('b', { phase: 'Failed' })],
      {},
      { create: 1, remove: [] },
    ],
    [
      'replaces pods that are being deleted',
      [pod('a'), pod('b', { deleted: true })],
      {},
      { create: 1, remove: [] },
    ],
    [
      'deletes the surplus pods',
      [pod('a'), pod('b'), pod('c')],
      { replicas: 1 },
      { create: 0, remove: ['a', 'b'] },
    ],
    ['creates 500 pods at a time', [], { replicas: 700 }, { create: 500, remove: [] }],
  ])('%s', (_title, pods, spec, expected) => {
    const { create, remove } = decide(state(pods, replicaSet(spec)));
    expect({ create, remove: remove.map(({ metadata }) => metadata.name) }).toEqual(expected);
  });

  it('does not change the pods of a ReplicaSet that is being deleted', () => {
    const going = replicaSet();
    going.metadata.deletionTimestamp = secondsAgo(1);
    expect(decide(state([], going))).toEqual({ create: 0, remove: [], waitMs: undefined });
  });

  it('waits until the next ready pod becomes available', () => {
    const pods = [pod('a', { ready: 4 }), pod('b', { ready: 7 }), pod('c')];
    expect(decide(state(pods, replicaSet({ minReadySeconds: 10 }))).waitMs).toBe(3000);
    expect(decide(state(pods, replicaSet({ minReadySeconds: 2 }))).waitMs).toBeUndefined();
  });
});

describe('statusOf', () => {
  it('counts the pods by their state', () => {
    const labels = { app: 'web' };
    const pods = [
      pod('a', { labels, ready: 20 }),
      pod('b', { labels, ready: 1 }),
      pod('c'),
      pod('d', { labels, deleted: true }),
      pod('e', { labels, phase: 'Succeeded' }),
    ];
    expect(statusOf(state(pods, replicaSet({ minReadySeconds: 10 })), undefined)).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 1,
      observedGeneration: 3,
    });
  });

  it('keeps the first failure until no operation fails', () => {
    const failure = { reason: 'FailedCreate', message: 'no room' } as const;
    const failed = statusOf(state([]), failure);
    const conditions = [
      { type: 'ReplicaFailure', status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z', ...failure },
    ];
    expect(failed['conditions']).toEqual(conditions);
    const again = replicaSet({}, { status: failed });
    expect(statusOf(state([], again), { ...failure, message: 'other' })['conditions']).toEqual(conditions);
    expect(statusOf(state([], again), undefined)).not.toHaveProperty('conditions');
  });
});
