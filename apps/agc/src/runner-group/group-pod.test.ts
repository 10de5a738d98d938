import { expect, it } from '@jest/globals';
import { recordedGate } from '@interlock/api';
import type { Pod } from '@interlock/kube';
import { groupPod } from './group-pod.js';

const now = Date.parse('2026-01-01T00:10:00Z');
const since = Date.parse('2026-01-01T00:00:00Z');
const quotaGate = 'kueue.x-k8s.io/admission';

it.each<[title: string, reason: string, gates: string[], message: string | undefined]>([
  ['no node for it', 'Unschedulable', [], 'no node'],
  [
    'the gate of another controller',
    'SchedulingGated',
    [recordedGate, quotaGate],
    `scheduling gate ${quotaGate}`,
  ],
  ['its record alone', 'SchedulingGated', [recordedGate], undefined],
])('shows why a pod is not scheduled while there is %s', (_title, reason, gates, message) => {
  const pod: Pod = {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'runner-1' } },
    spec: { containers: [], schedulingGates: gates.map((name) => ({ name })) },
    status: {
      phase: 'Pending',
      conditions: [
        {
          ...{ type: 'PodScheduled', status: 'False', reason, message: 'no node' },
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  };
  const { unschedulable } = groupPod(pod, true, now);
  expect(unschedulable?.message).toEqual(message && expect.stringContaining(message));
  expect(unschedulable?.since).toBe(message && since);
});

const scheduled = { type: 'PodScheduled', status: 'True' };
const notReady = { image: 'runner', imageID: '', ready: false, restartCount: 0 };
const pulling = {
  ...{ ...notReady, name: 'runner' },
  state: { waiting: { reason: 'ImagePullBackOff', message: 'not found' } },
};
const setUp = { ...notReady, name: 'setup', state: { running: {} } };
it.each<[title: string, status: Pod['status'], message: string | undefined]>([
  [
    'that has a node',
    { conditions: [scheduled], containerStatuses: [pulling] },
    'container runner waits: ImagePullBackOff: not found',
  ],
  ['without a node', { containerStatuses: [pulling] }, undefined],
  [
    'whose init container runs',
    { conditions: [scheduled], containerStatuses: [pulling], initContainerStatuses: [setUp] },
    undefined,
  ],
  ['that runs', { phase: 'Running', conditions: [scheduled], containerStatuses: [pulling] }, undefined],
])('shows what the containers of a pod wait for, of a pod %s', (_title, status, message) => {
  const pod: Pod = {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name: 'runner-1', creationTimestamp: '2026-01-01T00:00:00Z' },
    status: { phase: 'Pending', ...status },
  };
  expect(groupPod(pod, true, now).unstarted).toEqual(message && { since, message });
});
