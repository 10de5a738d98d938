import { describe, expect, it } from '@jest/globals';
import { MovableClock } from '@interlock/base/testing';
import { useCluster } from '../testing/harness.js';
import {
  createPod,
  eventsOf,
  logOf,
  nodeName,
  pod,
  podsPath,
  shell,
  testImages,
  untilGone,
  untilStatus,
} from '../testing/pods.js';

const clock = new MovableClock();
const api = useCluster({ clock, kubelets: [{ nodeName }], images: testImages });

describe('a pod', () => {
  it('runs to its end, with its output as its log', async () => {
    await createPod(api, pod('once', [shell('c', 'echo hello; echo oops >&2')], { restartPolicy: 'Never' }));
    const { body } = await untilStatus(api, 'once', ({ phase }) => phase === 'Succeeded');
    expect(body['status']).toMatchObject({
      phase: 'Succeeded',
      conditions: [
        { type: 'PodReadyToStartContainers', status: 'False' },
        { type: 'Initialized', status: 'True', reason: 'PodCompleted' },
        { type: 'Ready', status: 'False', reason: 'PodCompleted' },
        { type: 'ContainersReady', status: 'False', reason: 'PodCompleted' },
        { type: 'PodScheduled', status: 'True' },
      ],
      containerStatuses: [
        {
          name: 'c',
          ready: false,
          restartCount: 0,
          started: false,
          state: { terminated: { exitCode: 0, reason: 'Completed' } },
        },
      ],
    });
    expect((await logOf(api, 'once')).split('\n').sort()).toEqual(['', 'hello', 'oops']);
    expect(await eventsOf(api, 'once')).toEqual([
      'Pulled: Container image "test/sh:1" already present on machine and can be accessed by the pod',
      'Created: Container created',
      'Started: Container started',
    ]);
    await api.remove(`${podsPath}/once`);
    expect((await api.get(`${podsPath}/once`)).status).toBe(404);
  });
});

describe('restarts', () => {
  it('are immediate the first time, and then have a back-off', async () => {
    const terminationMessagePolicy = 'FallbackToLogsOnError';
    await createPod(api, pod('crash', [shell('c', 'echo run; exit 3', { terminationMessagePolicy })]));
    const held = await untilStatus(api, 'crash', waitsFor('CrashLoopBackOff'));
    const { uid } = held.body['metadata'] as { uid: string };
    expect(held.body['status']).toMatchObject({
      phase: 'Running',
      containerStatuses: [
        {
          restartCount: 1,
          state: {
            waiting: { message: `back-off 10s restarting failed container=c pod=crash_default(${uid})` },
          },
          lastState: { terminated: { exitCode: 3, reason: 'Error', message: 'run\n' } },
        },
      ],
    });
    expect(await logOf(api, 'crash', 'previous=true')).toBe('run\n');
    clock.forward(10_000);
    await untilStatus(
      api,
      'crash',
      ({ containerStatuses }) => (containerStatuses as { restartCount: number }[])[0]?.restartCount === 2,
    );
    await untilStatus(api, 'crash', waitsFor('CrashLoopBackOff'));
    expect(await eventsOf(api, 'crash')).toContain(
      `BackOff: Back-off restarting failed container c in pod crash_default(${uid})`,
    );
    await api.remove(`${podsPath}/crash`);
    await untilGone(api, 'crash');
  });

  it('are caused by a failed liveness probe', async () => {
    const livenessProbe = {
      exec: { command: ['sh', '-c', 'echo is dead; exit 1'] },
      periodSeconds: 1,
      failureThreshold: 1,
    };
    const script = 'trap "exit 0" TERM; while :; do sleep 0.05; done';
    await createPod(api, pod('dead', [shell('c', script, { livenessProbe })]));
    const { body } = await untilStatus(
      api,
      'dead',
      ({ containerStatuses }) => restartCount(containerStatuses) > 0,
    );
    expect(body['status']).toMatchObject({
      containerStatuses: [{ lastState: { terminated: {} } }],
    });
    expect(await eventsOf(api, 'dead')).toEqual(
      expect.arrayContaining([
        'Unhealthy: Liveness probe failed: is dead\n',
        'Killing: Container c failed liveness probe, will be restarted',
      ]),
    );
    await api.remove(`${podsPath}/dead`);
    await untilGone(api, 'dead');
  });
});

describe('a container that is killed', () => {
  it('ends with 137 and is started again, without a deletion timestamp', async () => {
    await createPod(api, pod('shot', [shell('c', 'trap "" TERM; echo up; while :; do sleep 0.05; done')]));
    await api.until(`${podsPath}/shot/log`, ({ text }) => text === 'up\n');
    api.cluster.nodes.kill({ namespace: 'default', name: 'shot' }, 'c');
    const { body } = await untilStatus(
      api,
      'shot',
      ({ containerStatuses }) => restartCount(containerStatuses) === 1,
    );
    expect(body['status']).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ lastState: { terminated: { exitCode: 137, reason: 'Error' } } }],
    });
    expect((await eventsOf(api, 'shot')).filter((event) => event.startsWith('Killing'))).toEqual([]);
    await api.remove(`${podsPath}/shot?gracePeriodSeconds=0`);
    await untilGone(api, 'shot');
  });

  it('is refused if it does not run as a process', () => {
    const kill = () => api.cluster.nodes.kill({ namespace: 'default', name: 'none' }, 'c');
    expect(kill).toThrow('no container "c" of a pod "default/none" runs as a process');
  });
});

describe('readiness', () => {
  it('follows the readiness probe, which begins after the postStart hook', async () => {
    const container = shell('c', 'trap "exit 0" TERM; while :; do sleep 0.05; done', {
      readinessProbe: { exec: { command: ['sh', '-c', 'test -e $TMPDIR/ready'] }, periodSeconds: 1 },
      lifecycle: { postStart: { exec: { command: ['sh', '-c', 'touch $TMPDIR/ready'] } } },
    });
    await createPod(api, pod('probed', [container]));
    const { body } = await untilStatus(api, 'probed', isReady);
    expect(body['status']).toMatchObject({
      containerStatuses: [{ ready: true, started: true, state: { running: {} } }],
    });
    await api.remove(`${podsPath}/probed`);
    await untilGone(api, 'probed');
    expect(await eventsOf(api, 'probed')).toContain('Killing: Stopping container c');
  });
});

describe('a pod that is deleted', () => {
  it('runs its preStop hook, receives SIGTERM, and exists until its containers have ended', async () => {
    const script = 'trap "ls $TMPDIR; echo term; exit 0" TERM; echo up; while :; do sleep 0.05; done';
    const preStop = { exec: { command: ['sh', '-c', 'touch $TMPDIR/stopping'] } };
    const first = shell('c', script, { lifecycle: { preStop } });
    await createPod(api, pod('ends', [first], {}, { finalizers: ['test.dev/hold'] }));
    await api.until(`${podsPath}/ends/log`, ({ text }) => text === 'up\n');
    const deleted = await api.remove(`${podsPath}/ends`);
    expect(deleted.body['metadata']).toMatchObject({ deletionGracePeriodSeconds: 30 });
    const ended = await untilStatus(api, 'ends', ({ phase }) => phase === 'Succeeded');
    expect(ended.body['status']).toMatchObject({
      containerStatuses: [{ state: { terminated: { exitCode: 0 } } }],
    });
    expect(await logOf(api, 'ends')).toBe('up\nstopping\nterm\n');
    await api.patch(`${podsPath}/ends`, { metadata: { finalizers: null } });
    await untilGone(api, 'ends');
  });

  it('is killed at the end of its grace period', async () => {
    await createPod(
      api,
      pod(
        'stubborn',
        [shell('c', 'trap "" TERM; echo up; while :; do sleep 0.05; done')],
        {},
        { finalizers: ['test.dev/hold'] },
      ),
    );
    await api.until(`${podsPath}/stubborn/log`, ({ text }) => text === 'up\n');
    await api.remove(`${podsPath}/stubborn`);
    await api.until(
      '/api/v1/namespaces/default/events?fieldSelector=reason%3DKilling,involvedObject.name%3Dstubborn',
      ({ body }) => (body['items'] as unknown[]).length === 1,
    );
    clock.forward(30_000);
    const ended = await untilStatus(api, 'stubborn', ({ phase }) => phase === 'Failed');
    expect(ended.body['status']).toMatchObject({
      containerStatuses: [{ state: { terminated: { exitCode: 137, reason: 'Error' } } }],
    });
    await api.patch(`${podsPath}/stubborn`, { metadata: { finalizers: null } });
    await untilGone(api, 'stubborn');
  });

  it('fails when it runs longer than its deadline', async () => {
    const script = 'trap "exit 143" TERM; while :; do sleep 0.05; done';
    await createPod(
      api,
      pod('late', [shell('c', script)], { activeDeadlineSeconds: 60, terminationGracePeriodSeconds: 5 }),
    );
    await untilStatus(api, 'late', isReady);
    clock.forward(60_000);
    const { body } = await untilStatus(api, 'late', ({ phase }) => phase === 'Failed');
    expect(body['status']).toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
      containerStatuses: [{ state: { terminated: { exitCode: 143 } } }],
    });
    await api.remove(`${podsPath}/late`);
  });
});

describe('images', () => {
  it('are pulled again later if they do not exist', async () => {
    await createPod(api, pod('unknown', [{ name: 'c', image: 'nope:1' }]));
    await untilStatus(api, 'unknown', waitsFor('ErrImagePull'));
    clock.forward(1_000);
    const { body } = await untilStatus(api, 'unknown', waitsFor('ImagePullBackOff'));
    expect(body['status']).toMatchObject({ phase: 'Pending' });
    const refused = await api.get(`${podsPath}/unknown/log`);
    expect([refused.status, refused.body['message']]).toEqual([
      400,
      'container "c" in pod "unknown" is waiting to start: trying and failing to pull image',
    ]);
    expect(await eventsOf(api, 'unknown')).toEqual(
      expect.arrayContaining([
        'BackOff: Back-off pulling image "nope:1"',
        'Failed: Error: ErrImagePull',
        'Failed: Error: ImagePullBackOff',
        'Pulling: Pulling image "nope:1"',
      ]),
    );
    await api.remove(`${podsPath}/unknown`);
    await untilGone(api, 'unknown');
  });
});

function waitsFor(reason: string) {
  return ({ containerStatuses }: Record<string, unknown>) =>
    (containerStatuses as { state: { waiting?: { reason: string } } }[] | undefined)?.[0]?.state.waiting
      ?.reason === reason;
}

function isReady({ conditions }: Record<string, unknown>): boolean {
  const found = (conditions as { type: string; status: string }[] | undefined)?.find(
    ({ type }) => type === 'Ready',
  );
  return found?.status === 'True';
}

function restartCount(statuses: unknown): number {
  return (statuses as { restartCount: number }[] | undefined)?.[0]?.restartCount ?? 0;
}
