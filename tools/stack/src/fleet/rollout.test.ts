import { describe, expect, it } from '@jest/globals';
import type { Deployment, Pod } from '@interlock/kube';
import { rolloutOf } from './rollout.js';

const settled = { replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
const rolling = { replicas: 2, updatedReplicas: 1, availableReplicas: 1 };

function deployment(status: Deployment['status'], replicas = 1): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'promoter', namespace: 'system', generation: 2 },
    spec: { replicas, selector: {}, template: {} },
    ...(status && { status: { observedGeneration: 2, ...status } }),
  };
}

type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

/** Returns a pod that is not ready, with one container. */
function pod({ state, lastState }: Pick<ContainerStatus, 'state' | 'lastState'>, deleted = false): Pod {
  const image = { image: 'interlock/promoter:1', imageID: '', ready: false, restartCount: 0 };
  const status: ContainerStatus = {
    name: 'promoter',
    ...image,
    ...(state && { state }),
    ...(lastState && { lastState }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    status: { conditions: [{ type: 'Ready', status: 'False' }], containerStatuses: [status] },
  };
}

const crash = { exitCode: 2, reason: 'Error' };
const unscheduled: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  status: { conditions: [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes are available' }] },
};

describe('rolloutOf', () => {
  it('returns that a Deployment is available when all replicas are new and available', () => {
    expect(rolloutOf(deployment(settled), [])).toEqual({ isAvailable: true });
    expect(rolloutOf(deployment({}, 0), [])).toEqual({ isAvailable: true });
  });

  it.each<[string, Deployment['status'], Pod[], string, boolean]>([
    ['no controller has observed it', undefined, [], 'no controller has observed it', false],
    [
      'only an older version was observed',
      { ...settled, observedGeneration: 1 },
      [],
      'no controller has observed it',
      false,
    ],
    ['an old replica is left', rolling, [], '1 of 1 replicas are updated, 1 are available', false],
    [
      'pods are refused',
      {
        ...rolling,
        conditions: [
          { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'is forbidden' },
        ],
      },
      [],
      'FailedCreate: is forbidden',
      true,
    ],
    [
      'the image is pulled for the first time',
      rolling,
      [pod({ state: { waiting: { reason: 'ErrImagePull', message: 'no such image' } } })],
      'container promoter waits: ErrImagePull (no such image)',
      false,
    ],
    [
      'the image was not found again',
      rolling,
      [pod({ state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } })],
      'container promoter waits: ImagePullBackOff (no such image)',
      true,
    ],
    [
      'the container exits repeatedly',
      rolling,
      [pod({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: { terminated: crash } })],
      'container promoter waits: CrashLoopBackOff, ended with exit code 2',
      true,
    ],
    [
      'the container has ended once',
      rolling,
      [pod({ state: { terminated: crash } })],
      'container promoter, ended with exit code 2',
      false,
    ],
    [
      'the container runs and is not ready',
      rolling,
      [pod({ state: { running: {} } })],
      'pod p is not ready',
      false,
    ],
    ['a pod has no node', rolling, [unscheduled], 'pod p is not scheduled: 0/1 nodes are available', false],
    [
      'a deleted pod terminates',
      rolling,
      [pod({ state: { running: {} } }, true)],
      '1 of 1 replicas are updated, 1 are available',
      false,
    ],
  ])('returns why a Deployment is not available while %s', (_, status, pods, reason, isFinal) => {
    expect(rolloutOf(deployment(status), pods)).toMatchObject({ isAvailable: false, reason, isFinal });
  });
});
