import { describe, expect, it } from '@jest/globals';
import { objectsAt, textAt, type KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { nextStep, timeLeft, type Step } from './decide.js';
import type { Outcome } from './outcome.js';

const bound = '2026-01-01T00:00:00Z';
const now = '2026-01-01T00:01:00Z';
const nowMs = Date.parse(now);
const surroundings = { now, hostIP: '10.0.0.1', podIP: '10.100.0.2' };

function pod(spec: JsonObject = {}, metadata: JsonObject = {}): KubeObject {
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: bound };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', uid: 'u', generation: 1, ...metadata },
    spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'example.com/app:1' }], ...spec },
    status: { phase: 'Pending', conditions: [scheduled], qosClass: 'BestEffort' },
  };
}

function statusOf(step: Step): JsonObject {
  if (step.kind !== 'status') throw new Error(`the step is ${step.kind}`);
  return step.status;
}

const running = (spec: JsonObject = {}): KubeObject => {
  const one = pod(spec);
  return { ...one, status: statusOf(nextStep(one, { type: 'run' }, surroundings, nowMs)) };
};
const deleted = (one: KubeObject, deletionGracePeriodSeconds = 30): KubeObject => ({
  ...one,
  metadata: { ...one.metadata, deletionTimestamp: now, deletionGracePeriodSeconds },
});
const next = (one: KubeObject, outcome: Outcome = { type: 'run' }): Step =>
  nextStep(one, outcome, surroundings, nowMs);
const conditionsOf = (status: JsonObject): string[] =>
  objectsAt(status, 'conditions').map((one) =>
    [one['type'], one['status'], one['reason']].filter((part) => part !== undefined).join(' '),
  );
const stateOf = (status: JsonObject): unknown => objectsAt(status, 'containerStatuses')[0]?.['state'];

describe('a pod that starts', () => {
  it('runs and is ready, as a kubelet reports it', () => {
    const status = statusOf(next(pod()));
    const condition = (type: string, lastTransitionTime = now): JsonObject => ({
      type,
      status: 'True',
      observedGeneration: 1,
      lastProbeTime: null,
      lastTransitionTime,
    });
    expect(status).toEqual({
      observedGeneration: 1,
      phase: 'Running',
      qosClass: 'BestEffort',
      hostIP: '10.0.0.1',
      hostIPs: [{ ip: '10.0.0.1' }],
      podIP: '10.100.0.2',
      podIPs: [{ ip: '10.100.0.2' }],
      startTime: now,
      conditions: [
        condition('PodReadyToStartContainers'),
        condition('Initialized'),
        condition('Ready'),
        condition('ContainersReady'),
        condition('PodScheduled', bound),
      ],
      containerStatuses: [
        {
          name: 'app',
          state: { running: { startedAt: now } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: 'example.com/app:1',
          imageID: expect.stringMatching(/^example\.com\/app@sha256:[0-9a-f]{64}$/),
          containerID: expect.stringMatching(/^simulated:\/\/[0-9a-f]{64}$/),
          started: true,
          resources: {},
        },
      ],
    });
  });

  it('does not change once it runs', () => {
    const one = running();
    expect(statusOf(next(one))).toEqual(one['status']);
  });

  it('completes init containers and keeps sidecars running', () => {
    const initContainers = [{ name: 'init' }, { name: 'proxy', restartPolicy: 'Always' }];
    const statuses = objectsAt(statusOf(next(pod({ initContainers }))), 'initContainerStatuses');
    expect(statuses).toMatchObject([
      { ready: true, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
      { ready: true, started: true, state: { running: { startedAt: now } } },
    ]);
  });

  it('is not ready before its gates are true', () => {
    const gated = pod({ readinessGates: [{ conditionType: 'example.com/gate' }] });
    expect(conditionsOf(statusOf(next(gated)))).toContain('Ready False ReadinessGatesNotReady');
    const gate = { type: 'example.com/gate', status: 'True' };
    const open = { ...gated, status: { ...(gated['status'] as JsonObject), conditions: [gate] } };
    expect(conditionsOf(statusOf(next(open)))).toContain('Ready True');
  });

  it.each<[string, Outcome, JsonObject]>([
    ['waits for its containers', { type: 'hold' }, { reason: 'ContainerCreating' }],
    [
      'waits for its image',
      { type: 'hold', reason: 'ImagePullBackOff' },
      { reason: 'ImagePullBackOff', message: 'Back-off pulling image "example.com/app:1"' },
    ],
    [
      'waits for the reason that a test specifies',
      { type: 'hold', reason: 'X', message: 'y' },
      { reason: 'X', message: 'y' },
    ],
  ])('%s when it is held', (_title, outcome, waiting) => {
    const status = statusOf(next(pod(), outcome));
    expect(status['phase']).toBe('Pending');
    expect(stateOf(status)).toEqual({ waiting });
    expect(conditionsOf(status).slice(1)).toEqual([
      'Initialized True',
      'Ready False ContainersNotReady',
      'ContainersReady False ContainersNotReady',
      'PodScheduled True',
    ]);
  });

  it('keeps all containers waiting for the first init container', () => {
    const status = statusOf(next(pod({ initContainers: [{ name: 'init' }] }), { type: 'hold' }));
    expect(stateOf(status)).toEqual({ waiting: { reason: 'PodInitializing' } });
    expect(conditionsOf(status)).toContain('Initialized False ContainersNotInitialized');
  });
});

describe('a pod that runs', () => {
  it.each<[string, Outcome, JsonObject, JsonObject, string[]]>([
    [
      'succeeds',
      { type: 'succeed' },
      { phase: 'Succeeded' },
      { exitCode: 0, reason: 'Completed' },
      ['Initialized True PodCompleted', 'Ready False PodCompleted', 'ContainersReady False PodCompleted'],
    ],
    [
      'fails',
      { type: 'fail', exitCode: 3 },
      { phase: 'Failed' },
      { exitCode: 3, reason: 'Error' },
      ['Initialized True', 'Ready False PodFailed', 'ContainersReady False PodFailed'],
    ],
    [
      'is killed when it is out of memory',
      { type: 'oomKill' },
      { phase: 'Failed' },
      { exitCode: 137, reason: 'OOMKilled' },
      ['Ready False PodFailed'],
    ],
    [
      'exceeds its deadline',
      { type: 'deadline' },
      {
        phase: 'Failed',
        reason: 'DeadlineExceeded',
        message: 'Pod was active on the node longer than the specified deadline',
      },
      { exitCode: 137, reason: 'Error' },
      ['Ready False PodFailed'],
    ],
    [
      'is evicted',
      { type: 'evict' },
      {
        phase: 'Failed',
        reason: 'Evicted',
        message:
          'The node was low on resource: memory. Threshold quantity: 100Mi, available: 96Mi. Container app was using 512Mi, request is 0, has larger consumption of memory. ',
      },
      { exitCode: 137, reason: 'Error' },
      ['DisruptionTarget True TerminationByKubelet', 'Ready False PodFailed'],
    ],
  ])('%s', (_title, outcome, fields, terminated, conditions) => {
    const status = statusOf(next(running(), outcome));
    expect(status).toMatchObject({ ...fields, podIP: '10.100.0.2' });
    expect(stateOf(status)).toMatchObject({ terminated: { ...terminated, startedAt: now, finishedAt: now } });
    expect(conditionsOf(status)).toEqual(expect.arrayContaining(conditions));
    expect(next({ ...pod(), status }, outcome)).toEqual({ kind: 'none' });
  });

  it.each<[string, string, Outcome, number]>([
    ['starts again after each end', 'Always', { type: 'succeed' }, 1],
    ['starts again after a failure', 'OnFailure', { type: 'fail' }, 1],
    ['does not start again after a success', 'OnFailure', { type: 'succeed' }, 0],
  ])('%s with the restart policy %s', (_title, restartPolicy, outcome, restartCount) => {
    const status = statusOf(next(running({ restartPolicy }), outcome));
    expect(objectsAt(status, 'containerStatuses')[0]).toMatchObject({ restartCount });
    expect(textAt(status, 'phase')).toBe(restartCount === 0 ? 'Succeeded' : 'Running');
    if (restartCount > 0) {
      expect(objectsAt(status, 'containerStatuses')[0]).toMatchObject({
        state: { running: { startedAt: now } },
        lastState: { terminated: { finishedAt: now } },
      });
    }
  });

  it('is not ready when a test requests this outcome', () => {
    const status = statusOf(next(running(), { type: 'notReady' }));
    expect(conditionsOf(status)).toContain('Ready False ContainersNotReady');
    expect(objectsAt(status, 'containerStatuses')[0]).toMatchObject({ ready: false, started: true });
  });

  it('fails after its activeDeadlineSeconds', () => {
    const one = running({ activeDeadlineSeconds: 10 });
    expect(timeLeft(one, nowMs + 4_000)).toBe(6_000);
    expect(nextStep(one, { type: 'run' }, surroundings, nowMs + 9_999)).toMatchObject({
      status: { phase: 'Running' },
    });
    expect(nextStep(one, { type: 'run' }, surroundings, nowMs + 10_000)).toMatchObject({
      status: { phase: 'Failed', reason: 'DeadlineExceeded' },
    });
  });
});

describe('a pod that is deleted', () => {
  it.each<[string, KubeObject, Outcome, unknown]>([
    [
      'ends first, and succeeds if it is a server',
      deleted(running({ restartPolicy: 'Always' })),
      { type: 'run' },
      'Succeeded',
    ],
    [
      'ends first, and fails by the signal if it is not a server',
      deleted(running()),
      { type: 'run' },
      'Failed',
    ],
    ['is removed before it has started', deleted(pod()), { type: 'run' }, 'remove'],
    ['exists while it is held', deleted(running()), { type: 'hold' }, 'none'],
    ['exists while it only waits for finalizers', deleted(pod(), 0), { type: 'run' }, 'none'],
  ])('%s', (_title, one, outcome, expected) => {
    const step = next(one, outcome);
    expect(step.kind === 'status' ? step.status['phase'] : step.kind).toBe(expected);
  });

  it('is removed once it has ended', () => {
    const one = deleted(running());
    expect(next({ ...one, status: statusOf(next(one)) })).toEqual({ kind: 'remove' });
  });
});
