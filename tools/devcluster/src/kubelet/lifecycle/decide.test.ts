import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { decideSteps, type PodView, type Step } from './decide.js';
import { newRecord, type ContainerRecord } from './record.js';
import { podStatus } from './status.js';

const now = Date.UTC(2026, 0, 1);
const running: Partial<ContainerRecord> = {
  state: 'running',
  isStarted: true,
  isReady: true,
  startedAt: now - 5_000,
};
const ended = (exitCode: number, more: Partial<ContainerRecord> = {}): Partial<ContainerRecord> => ({
  state: 'ended',
  termination: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', finishedAt: now - 1_000 },
  ...more,
});

interface Setup {
  spec?: JsonObject;
  metadata?: JsonObject;
  status?: JsonObject;
  init?: string[];
  sidecars?: string[];
  apps?: string[];
  records?: Record<string, Partial<ContainerRecord>>;
  view?: Partial<PodView>;
}

function viewOf({
  spec,
  metadata,
  status,
  init = [],
  sidecars = [],
  apps = ['a'],
  records = {},
  view,
}: Setup): PodView {
  const containers = (names: string[], more: JsonObject = {}) =>
    names.map((name) => ({ name, image: 'i', ...more }));
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'n', uid: 'u', generation: 1, ...metadata },
    spec: {
      restartPolicy: 'Always',
      initContainers: [...containers(sidecars, { restartPolicy: 'Always' }), ...containers(init)],
      containers: containers(apps),
      ...spec,
    },
    status: { phase: 'Pending', qosClass: 'BestEffort', ...status },
  } as KubeObject;
  const names = [...sidecars, ...init, ...apps];
  return {
    pod,
    records: new Map(names.map((name) => [name, { ...newRecord(), ...records[name] }])),
    sandbox: 'ready',
    startTime: now - 10_000,
    podIp: '127.64.0.1',
    hostIp: '127.0.0.1',
    now,
    ...view,
  };
}

const start = (container: string): Step => ({ type: 'start', container });
const stop = (container: string, graceSeconds = 30): Step => ({ type: 'stop', container, graceSeconds });
const deleted = { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 20 };
const backoff = { delayMs: 20_000, updatedAt: now - 30_000 };

describe('decideSteps', () => {
  it.each<[string, Setup, Step[], number?]>([
    ['prepares a pod first', { view: { sandbox: 'none' } }, [{ type: 'prepare' }]],
    ['waits while the pod is being prepared', { view: { sandbox: 'preparing' } }, []],
    [
      'retries a preparation when the retry is due',
      { view: { sandbox: 'none', prepareAt: now + 500 } },
      [],
      now + 500,
    ],
    ['starts all containers in parallel', { apps: ['a', 'b'] }, [start('a'), start('b')]],
    ['starts the first init container alone', { init: ['i', 'j'] }, [start('i')]],
    [
      'starts the next init container when the first has succeeded',
      { init: ['i', 'j'], records: { i: ended(0) } },
      [start('j')],
    ],
    [
      'starts the other containers after the last init container',
      { init: ['i'], records: { i: ended(0) } },
      [start('a')],
    ],
    [
      'waits for a sidecar to start',
      { sidecars: ['s'], records: { s: { ...running, isStarted: false } } },
      [],
    ],
    ['continues when the sidecar has started', { sidecars: ['s'], records: { s: running } }, [start('a')]],
    ['restarts an init container that has failed', { init: ['i'], records: { i: ended(1) } }, [start('i')]],
    [
      'fails the pod for a failed init container without restarts',
      { init: ['i'], records: { i: ended(1) }, spec: { restartPolicy: 'Never' } },
      [{ type: 'fail', failure: { reason: '', message: '' } }],
    ],
    ['restarts a container that has ended', { records: { a: ended(0) } }, [start('a')]],
    [
      'does not restart a successful container under OnFailure',
      { records: { a: ended(0) }, spec: { restartPolicy: 'OnFailure' } },
      [],
    ],
    [
      'restarts a failed container under OnFailure',
      { records: { a: ended(1) }, spec: { restartPolicy: 'OnFailure' } },
      [start('a')],
    ],
    [
      'does not restart a failed container under Never',
      { records: { a: ended(1) }, spec: { restartPolicy: 'Never' } },
      [],
    ],
    [
      'waits for the back-off of a restart',
      { records: { a: ended(1, { backoff }) } },
      [
        {
          type: 'hold',
          container: 'a',
          waiting: {
            reason: 'CrashLoopBackOff',
            message: 'back-off 20s restarting failed container=a pod=p_n(u)',
          },
        },
      ],
      now + 19_000,
    ],
    [
      'forgets the back-off of a container that ran for ten minutes',
      { records: { a: ended(1, { backoff: { delayMs: 300_000, updatedAt: now - 602_000 } }) } },
      [start('a')],
    ],
    [
      'restarts a sidecar while the other containers run',
      { sidecars: ['s'], records: { s: ended(1), a: running } },
      [start('s')],
    ],
    [
      'ends the last sidecar first when the other containers have ended',
      {
        sidecars: ['s', 't'],
        records: { s: running, t: running, a: ended(0) },
        spec: { restartPolicy: 'Never' },
      },
      [stop('t')],
    ],
    [
      'ends containers before sidecars',
      { sidecars: ['s'], records: { s: running, a: running }, metadata: deleted },
      [stop('a', 20)],
    ],
    [
      'gives sidecars the rest of the grace period',
      {
        sidecars: ['s'],
        records: { s: running, a: ended(0) },
        metadata: deleted,
        view: { endingSince: now - 5_000 },
      },
      [stop('s', 15)],
    ],
    [
      'removes a deleted pod when nothing runs',
      { records: { a: ended(0) }, metadata: deleted },
      [{ type: 'remove' }],
    ],
    [
      'waits for a container to start before it ends the container',
      { records: { a: { state: 'starting' } }, metadata: deleted },
      [],
    ],
    [
      'requests another decision at the deadline',
      { records: { a: running }, spec: { activeDeadlineSeconds: 15 } },
      [],
      now + 5_000,
    ],
    [
      'fails at the deadline',
      { records: { a: running }, spec: { activeDeadlineSeconds: 10 } },
      [
        {
          type: 'fail',
          failure: {
            reason: 'DeadlineExceeded',
            message: 'Pod was active on the node longer than the specified deadline',
          },
        },
      ],
    ],
    [
      'does nothing for a pod that has ended',
      { records: { a: ended(0) }, status: { phase: 'Succeeded' } },
      [],
    ],
  ])('%s', (...[, setup, steps, wakeAt]) => {
    expect(decideSteps(viewOf(setup))).toEqual({ steps, wakeAt });
  });
});

describe('the status of a pod', () => {
  it.each<[string, Setup, string, string[]]>([
    [
      'is pending while containers are created',
      {},
      'Pending',
      ['Initialized', 'PodReadyToStartContainers', 'PodScheduled'],
    ],
    [
      'is pending while init containers run',
      { init: ['i'], records: { i: running } },
      'Pending',
      ['PodReadyToStartContainers', 'PodScheduled'],
    ],
    [
      'is running and ready',
      { records: { a: running } },
      'Running',
      ['ContainersReady', 'Initialized', 'PodReadyToStartContainers', 'PodScheduled', 'Ready'],
    ],
    [
      'is running while one of two containers has ended',
      { apps: ['a', 'b'], records: { a: running, b: ended(0) }, spec: { restartPolicy: 'Never' } },
      'Running',
      ['Initialized', 'PodReadyToStartContainers', 'PodScheduled'],
    ],
    [
      'has succeeded when all containers have succeeded',
      { records: { a: ended(0) }, spec: { restartPolicy: 'Never' } },
      'Succeeded',
      ['Initialized', 'PodScheduled'],
    ],
    [
      'is running while a failed container can be restarted',
      { apps: ['a', 'b'], records: { a: ended(0), b: ended(1) }, spec: { restartPolicy: 'OnFailure' } },
      'Running',
      ['Initialized', 'PodReadyToStartContainers', 'PodScheduled'],
    ],
    [
      'has failed when a container has failed and is not restarted',
      { apps: ['a', 'b'], records: { a: ended(0), b: ended(1) }, spec: { restartPolicy: 'Never' } },
      'Failed',
      ['Initialized', 'PodScheduled'],
    ],
    [
      'is running while a pod that must fail is being stopped',
      { records: { a: running }, view: { failure: { reason: 'DeadlineExceeded', message: 'm' } } },
      'Running',
      ['ContainersReady', 'Initialized', 'PodReadyToStartContainers', 'PodScheduled', 'Ready'],
    ],
    [
      'is not ready without its readiness gate',
      { records: { a: running }, spec: { readinessGates: [{ conditionType: 'x' }] } },
      'Running',
      ['ContainersReady', 'Initialized', 'PodReadyToStartContainers', 'PodScheduled'],
    ],
  ])('%s', (_name, setup, phase, conditions) => {
    const status = podStatus(viewOf(setup)) as {
      phase: string;
      conditions: { type: string; status: string }[];
    };
    expect(status.phase).toBe(phase);
    const met = status.conditions.filter((one) => one.status === 'True').map(({ type }) => type);
    expect(met.sort()).toEqual(conditions);
  });

  it('keeps the time of a condition that has not changed', () => {
    const since = '2025-12-31T23:00:00Z';
    const status = { conditions: [{ type: 'Initialized', status: 'True', lastTransitionTime: since }] };
    expect(podStatus(viewOf({ status, records: { a: running } }))['conditions']).toContainEqual({
      type: 'Initialized',
      status: 'True',
      observedGeneration: 1,
      lastProbeTime: null,
      lastTransitionTime: since,
    });
  });

  it.each<[title: string, setup: Setup, states: (string | number)[]]>([
    ['a container whose image was not pulled', { records: {} }, ['a: 137 ContainerStatusUnknown']],
    [
      'a container after its init container has failed',
      { init: ['i'], records: { i: ended(3) } },
      ['i: 3 Error', 'a: waiting'],
    ],
    [
      'an init container that was not started',
      { init: ['i', 'j'] },
      ['i: 137 ContainerStatusUnknown', 'j: waiting', 'a: waiting'],
    ],
    [
      'a container after its init container has succeeded',
      { init: ['i'], records: { i: ended(0) } },
      ['i: 0 Completed', 'a: 137 ContainerStatusUnknown'],
    ],
  ])('shows the end of %s when its pod is deleted', (_title, setup, states) => {
    const failure = { reason: 'Evicted', message: 'm' };
    const status = podStatus(viewOf({ ...setup, spec: { restartPolicy: 'Never' }, view: { failure } }));
    const all = [status['initContainerStatuses'] ?? [], status['containerStatuses']].flat() as {
      name: string;
      state: { terminated?: { exitCode: number; reason: string } };
    }[];
    const shown = all.map(({ name, state: { terminated } }) =>
      terminated === undefined ? `${name}: waiting` : `${name}: ${terminated.exitCode} ${terminated.reason}`,
    );
    expect(shown).toEqual(states);
  });

  it('reports the previous run of a waiting container', () => {
    const waiting = { reason: 'CrashLoopBackOff', message: 'm' };
    const { containerStatuses } = podStatus(
      viewOf({ records: { a: ended(2, { waiting, restartCount: 3 }) } }),
    );
    expect(containerStatuses).toMatchObject([
      {
        restartCount: 3,
        started: false,
        state: { waiting },
        lastState: { terminated: { exitCode: 2, reason: 'Error' } },
      },
    ]);
  });
});
