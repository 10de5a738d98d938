import { expect, it } from '@jest/globals';
import { runnerAnnotations } from '@interlock/api';
import type { Pod } from '@interlock/kube';
import { decideJob } from './decide.js';
import { viewPod } from './pod-view.js';
import { observedJob } from './testing/builders.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const runner = (state: object) => ({ containerStatuses: [{ name: 'runner', state }] });
const terminated = (exitCode: number) => runner({ terminated: { exitCode } });
const jobSent = '{"version":1,"jobSent":true}';
const outOfMemory = (exitCode: number) =>
  runner({ terminated: { exitCode, reason: 'OOMKilled', message: jobSent } });
const runnerNotFound = (containerID: string) => ({
  containerStatuses: [
    {
      name: 'runner',
      containerID,
      state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } },
    },
  ],
});

/** Returns a worker pod. Its status has only the fields that a test needs. */
function podWith(status: object, spec: NonNullable<Pod['spec']> = { containers: [] }): Pod {
  const metadata = { name: 'runner-a', namespace: 'team-a' };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec, status: status as NonNullable<Pod['status']> };
}

function shown(status: object): string {
  const { hasStarted, end } = viewPod(podWith(status, { nodeName: 'n', containers: [] }), now);
  if (end === undefined) return hasStarted ? 'runs' : 'waits';
  const { exitCode, mayHaveStarted, disruption } = end;
  const started = mayHaveStarted ? 'may have started' : 'has not started';
  return `ended: ${[exitCode, disruption, started].filter((part) => part !== undefined).join(', ')}`;
}

it.each<[title: string, status: object, expected: string]>([
  ['a pod that is new', { phase: 'Pending' }, 'waits'],
  ['a pod whose runner waits', { phase: 'Running', ...runner({ waiting: {} }) }, 'waits'],
  ['a pod whose runner runs', { phase: 'Running', ...runner({ running: {} }) }, 'runs'],
  ['a pod whose runner has ended', { phase: 'Running', ...terminated(102) }, 'ended: 102, may have started'],
  ['a pod that runs, without its containers', { phase: 'Running' }, 'runs'],
  ['a pod that has succeeded, without its containers', { phase: 'Succeeded' }, 'ended: 0, may have started'],
  [
    'a pod that was evicted, without its containers',
    { phase: 'Failed', reason: 'Evicted' },
    'ended: eviction, has not started',
  ],
  [
    'a pod for which its node has no room',
    { phase: 'Failed', reason: 'OutOfcpu', message: 'Node did not have enough resource: cpu' },
    'ended: eviction, has not started',
  ],
  [
    'a pod that the kubelet no longer admits after its own restart',
    { phase: 'Failed', reason: 'UnexpectedAdmissionError', message: 'Pod was rejected: no healthy devices' },
    'ended: eviction, has not started',
  ],
  [
    'a pod that ran out of memory',
    { phase: 'Failed', ...outOfMemory(137) },
    'ended: 137, outOfMemory, may have started',
  ],
  [
    'a pod whose runner continued when a process of its job ran out of memory, and was then asked to end',
    { phase: 'Failed', reason: 'DeadlineExceeded', ...outOfMemory(103) },
    'ended: 103, may have started',
  ],
  [
    'an evicted pod whose runner continued when a process of its job ran out of memory',
    { phase: 'Failed', reason: 'Evicted', ...outOfMemory(103) },
    'ended: 103, eviction, may have started',
  ],
  [
    'a pod that ran when its node failed and started again',
    { phase: 'Failed', ...runner({ terminated: { exitCode: 255, reason: 'Unknown', message: jobSent } }) },
    'ended: 255, nodeLost, may have started',
  ],
  [
    'a pod whose runner the kubelet no longer finds',
    { phase: 'Failed', ...runnerNotFound('containerd://1') },
    'ended: 137, nodeLost, may have started',
  ],
  [
    'a pod whose job has the exit code of a node that failed',
    { phase: 'Failed', ...runner({ terminated: { exitCode: 255, reason: 'Error', message: jobSent } }) },
    'ended: 255, may have started',
  ],
  [
    'a pod that the kubelet ended before its image was pulled',
    { phase: 'Failed', ...runnerNotFound('') },
    'ended: 137, nodeLost, has not started',
  ],
])('viewPod reads %s', (_title, status, expected) => {
  expect(shown(status)).toBe(expected);
});

it.each(['waiting', 'running'])('reads a pod as disrupted whose lost runner is %s again', (state) => {
  const lastState = { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } };
  const containerStatuses = [{ name: 'runner', restartCount: 1, state: { [state]: {} }, lastState }];
  const view = viewPod(podWith({ phase: 'Pending', containerStatuses }), now);
  expect(view.runsAgain).toBe(true);
  expect(view.end).toMatchObject({ mayHaveStarted: true, exitCode: 137, disruption: 'nodeLost' });
});

it('names the init container that failed', () => {
  const status = {
    phase: 'Failed',
    initContainerStatuses: [{ name: 'prepare', state: { terminated: { exitCode: 3 } } }],
    ...runner({ waiting: { reason: 'PodInitializing' } }),
  };
  const { end } = viewPod(podWith(status), now);
  expect(end?.message).toBe('the worker pod runner-a ended (init container prepare ended with exit code 3)');
  expect(end?.mayHaveStarted).toBe(false);
});

it.each([
  ['before', '2026-01-01T00:00:59Z', false],
  ['at', '2026-01-01T00:01:00Z', true],
])(
  'notices that a runner ended %s the deadline of its pod before the pod shows it',
  (_title, at, expected) => {
    const status = {
      phase: 'Running',
      startTime: '2026-01-01T00:00:00Z',
      ...runner({ terminated: { exitCode: 103, finishedAt: at } }),
    };
    const pod = podWith(status, { activeDeadlineSeconds: 60, containers: [] });
    expect(viewPod(pod, now).end?.isDeadline).toBe(expected);
  },
);

it.each([
  ['pending_deadline', 'ended with 103', terminated(103), 'deletion'],
  ['pending_deadline', 'ended with 137', terminated(137), 'deletion'],
  ['gateway_deleted', 'ended with 103', terminated(103), undefined],
  ['gateway_deleted', 'was lost', runnerNotFound('containerd://1'), undefined],
])(
  'treats a pod that is deleted because of %s and whose runner %s as disrupted only if its job may continue',
  (reason, _end, status, expected) => {
    const pod = podWith({ phase: 'Failed', ...status });
    pod.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    pod.metadata.annotations = { [runnerAnnotations.deletionReason]: reason };
    expect(viewPod(pod, now).end?.disruption).toBe(expected);
  },
);

it.each<[title: string, status: object, expected: string | undefined]>([
  [
    'its image',
    runner({ waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "mine"' } }),
    'container runner waits: ImagePullBackOff: Back-off pulling image "mine"',
  ],
  [
    'an init container',
    {
      initContainerStatuses: [{ name: 'mesh', state: { waiting: { reason: 'CreateContainerConfigError' } } }],
      ...runner({ waiting: { reason: 'PodInitializing' } }),
    },
    'container mesh waits: CreateContainerConfigError',
  ],
  [
    'an init container that runs',
    {
      initContainerStatuses: [{ name: 'prepare', state: { running: {} } }],
      ...runner({ waiting: { reason: 'PodInitializing' } }),
    },
    'container runner waits: PodInitializing',
  ],
  [
    'a node',
    { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node' }] },
    'Unschedulable: no node',
  ],
  ['nothing that its status shows', {}, undefined],
])('shows that a pod waits for %s', (_title, status, expected) => {
  expect(viewPod(podWith({ phase: 'Pending', ...status }), now).waitsFor).toBe(expected);
});

it('cuts the reason of the end of a pod between two characters, because half of one is not valid Unicode', () => {
  const message = `${'a'.repeat(490)}${'🔥'.repeat(20)}`;
  for (const reason of ['', 'a'])
    expect(viewPod(podWith({ phase: 'Failed', reason, message }), now).end?.message).not.toMatch(
      /\p{Surrogate}/u,
    );
});

it.each([
  ['states', 120, 120],
  ['has by default', undefined, 30],
])('reads the grace period that a pod %s, and the one of its deletion', (_title, seconds, expected) => {
  const spec = { containers: [], ...(seconds !== undefined && { terminationGracePeriodSeconds: seconds }) };
  const pod = podWith({ phase: 'Running' }, spec);
  Object.assign(pod.metadata, { deletionTimestamp: '2026-01-01T00:04:45Z', deletionGracePeriodSeconds: 285 });
  const view = { deletionAt: now, graceSeconds: expected, deletionGraceSeconds: 285 };
  expect(viewPod(pod, now)).toMatchObject(view);
});

it.each([
  ['the report of a runner that has not ended', jobSent],
  ['no report', undefined],
])(
  'a drained pod that the kubelet killed after its grace period, with %s, is disrupted',
  (_title, message) => {
    const pod = podWith(
      { phase: 'Failed', ...runner({ terminated: { exitCode: 137, reason: 'Error', message } }) },
      { nodeName: 'n', containers: [], terminationGracePeriodSeconds: 35 },
    );
    Object.assign(pod.metadata, {
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 35,
    });
    const observed = observedJob({ pod: viewPod(pod, now), record: { phase: 'Running' } });
    expect(decideJob(observed, now)).toMatchObject({
      type: 'conclude',
      end: { ending: 'disrupted', disruption: 'deletion', exitCode: 137 },
    });
  },
);
