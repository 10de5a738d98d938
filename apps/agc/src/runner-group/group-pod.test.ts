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

const scheduledAt = '2026-01-01T00:06:00Z';
const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: scheduledAt };
const notReady = { image: 'runner', imageID: '', ready: false, restartCount: 0 };
const waiting = (reason: string, message?: string) => ({
  ...{ ...notReady, name: 'runner' },
  state: { waiting: { reason, ...(message !== undefined && { message }) } },
});
const pulling = waiting('ImagePullBackOff', 'not found');
const blocked = waiting('PodInitializing');
const setUp = { ...notReady, name: 'setup', state: { running: {} } };
const problem = 'container runner waits: ImagePullBackOff: not found';
it.each<[title: string, status: Pod['status'], unstarted: [message: string, since: number] | undefined]>([
  [
    'with a problem, since its creation',
    { conditions: [scheduled], containerStatuses: [pulling] },
    [problem, since],
  ],
  [
    'with a problem, beside an init container that runs as long as the pod',
    { conditions: [scheduled], containerStatuses: [pulling], initContainerStatuses: [setUp] },
    [problem, since],
  ],
  [
    'that is created on its node, since it has that node',
    { conditions: [scheduled], containerStatuses: [waiting('ContainerCreating')] },
    ['container runner waits: ContainerCreating', Date.parse(scheduledAt)],
  ],
  ['without a node', { containerStatuses: [pulling] }, undefined],
  [
    'whose init container runs',
    { conditions: [scheduled], containerStatuses: [blocked], initContainerStatuses: [setUp] },
    undefined,
  ],
  ['that runs', { phase: 'Running', conditions: [scheduled], containerStatuses: [pulling] }, undefined],
])('shows what the containers of a pod wait for, of a pod %s', (_title, status, unstarted) => {
  const pod: Pod = {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name: 'runner-1', creationTimestamp: '2026-01-01T00:00:00Z' },
    status: { phase: 'Pending', ...status },
  };
  const [message, from] = unstarted ?? [];
  expect(groupPod(pod, true, now).unstarted).toEqual(unstarted && { message, since: from });
});
