import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { podColumns } from './columns.js';

const now = new Date('2026-01-01T01:00:00Z');

/** Returns the columns READY, STATUS and RESTARTS. */
function shown(spec: JsonObject, status: JsonObject, metadata: JsonObject = {}): unknown[] {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', ...metadata }, spec, status };
  return ['Ready', 'Status', 'Restarts'].map((name) =>
    podColumns.find((column) => column.name === name)?.cell(pod as KubeObject, now),
  );
}

const app = { containers: [{ name: 'c' }] };
const two = { containers: [{ name: 'c' }, { name: 'd' }] };
const withInit = { ...app, initContainers: [{ name: 'i' }, { name: 'j' }] };
const withSidecar = { ...app, initContainers: [{ name: 's', restartPolicy: 'Always' }] };

const running = { ready: true, started: true, restartCount: 0, state: { running: {} } };
const notReady = { ...running, ready: false };
const waiting = (reason: string): JsonObject => ({ restartCount: 0, state: { waiting: { reason } } });
const ended = (exitCode: number, reason: string): JsonObject => ({
  restartCount: 0,
  state: { terminated: { exitCode, reason } },
});
const restarted = (restartCount: number, finishedAt: string): JsonObject => ({
  ...running,
  restartCount,
  lastState: { terminated: { exitCode: 1, finishedAt } },
});
const ready = { type: 'Ready', status: 'True' };
const deleted = { deletionTimestamp: '2026-01-01T00:59:00Z' };

describe('podColumns', () => {
  it.each<[string, unknown[], JsonObject, JsonObject, JsonObject?]>([
    ['a pending pod', ['0/1', 'Pending', '0'], app, { phase: 'Pending' }],
    [
      'a pod with a scheduling gate',
      ['0/1', 'SchedulingGated', '0'],
      app,
      { phase: 'Pending', conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] },
    ],
    ['a running pod', ['1/1', 'Running', '0'], app, { phase: 'Running', containerStatuses: [running] }],
    [
      'a container that is not ready',
      ['1/2', 'Running', '0'],
      two,
      { phase: 'Running', containerStatuses: [running, notReady] },
    ],
    [
      'the first of several containers that do not run',
      ['0/2', 'CrashLoopBackOff', '0'],
      two,
      { phase: 'Running', containerStatuses: [waiting('CrashLoopBackOff'), ended(1, 'Error')] },
    ],
    [
      'a container that ended without a reason',
      ['0/1', 'ExitCode:3', '0'],
      app,
      { phase: 'Failed', containerStatuses: [ended(3, '')] },
    ],
    [
      'a container that a signal ended',
      ['0/1', 'Signal:9', '0'],
      app,
      { phase: 'Failed', containerStatuses: [{ state: { terminated: { exitCode: 137, signal: 9 } } }] },
    ],
    [
      'a ready pod of which one container is complete',
      ['1/2', 'Running', '0'],
      two,
      { phase: 'Running', containerStatuses: [ended(0, 'Completed'), running], conditions: [ready] },
    ],
    [
      'a pod that is not ready, of which one container is complete',
      ['1/2', 'NotReady', '0'],
      two,
      { phase: 'Running', containerStatuses: [ended(0, 'Completed'), running] },
    ],
    ['an evicted pod', ['0/1', 'Evicted', '0'], app, { phase: 'Failed', reason: 'Evicted' }],
    [
      'a running init container',
      ['0/1', 'Init:1/2', '0'],
      withInit,
      {
        phase: 'Pending',
        initContainerStatuses: [ended(0, 'Completed'), { restartCount: 0, state: { running: {} } }],
        containerStatuses: [waiting('PodInitializing')],
      },
    ],
    [
      'an init container whose image is missing',
      ['0/1', 'Init:ImagePullBackOff', '0'],
      withInit,
      { phase: 'Pending', initContainerStatuses: [waiting('ImagePullBackOff'), waiting('PodInitializing')] },
    ],
    [
      'an init container that failed, and its restarts',
      ['0/1', 'Init:Error', '2 (5m ago)'],
      withInit,
      {
        phase: 'Pending',
        initContainerStatuses: [
          {
            ...restarted(2, '2026-01-01T00:55:00Z'),
            ...{ state: { terminated: { exitCode: 1, reason: 'Error' } } },
          },
        ],
      },
    ],
    [
      'a sidecar next to a container, without the restarts of completed init containers',
      ['2/2', 'Running', '3 (10m ago)'],
      { ...withSidecar, initContainers: [...withSidecar.initContainers, { name: 'i' }] },
      {
        phase: 'Running',
        initContainerStatuses: [
          { name: 's', ...restarted(1, '2026-01-01T00:30:00Z') },
          { ...ended(0, 'Completed'), name: 'i', restartCount: 5 },
        ],
        containerStatuses: [restarted(2, '2026-01-01T00:50:00Z')],
      },
    ],
    [
      'a sidecar that has not started',
      ['0/2', 'Init:0/1', '0'],
      withSidecar,
      { phase: 'Pending', initContainerStatuses: [{ name: 's', state: { running: {} }, started: false }] },
    ],
    [
      'a deleted pod that has not ended',
      ['1/1', 'Terminating', '0'],
      app,
      { phase: 'Running', containerStatuses: [running] },
      deleted,
    ],
    [
      'a deleted pod that has ended',
      ['0/1', 'Error', '0'],
      app,
      { phase: 'Failed', containerStatuses: [ended(1, 'Error')] },
      deleted,
    ],
    [
      'a deleted pod of a lost node',
      ['0/1', 'Unknown', '0'],
      app,
      { phase: 'Running', reason: 'NodeLost' },
      deleted,
    ],
  ])('returns the columns of %s', (_, expected, ...pod) => {
    expect(shown(...pod)).toEqual(expected);
  });
});
