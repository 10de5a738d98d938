import { describe, expect, it } from '@jest/globals';
import { objectsAt, textAt } from '../object.js';
import { useCluster } from '../testing/harness.js';
import { condition, cpu, eventsOf, gone, inPhase, on, pod, pods, start } from './testing/pods.js';

const api = useCluster({ nodes: [{ name: 'a' }, { name: 'b', capacity: { cpu: '2' } }] });

describe('a pod', () => {
  it('is scheduled, runs, and has the status that a kubelet reports', async () => {
    const { body } = await start(api, 'plain');
    expect(body).toMatchObject({
      spec: {
        tolerations: ['not-ready', 'unreachable'].map((key) => ({
          key: `node.kubernetes.io/${key}`,
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 300,
        })),
      },
      status: { phase: 'Running', containerStatuses: [{ ready: true, started: true }] },
    });
    expect((await eventsOf(api, 'plain', 4)).sort()).toEqual([
      'Created: Container created',
      'Pulled: Container image "example.com/app:1" already present on machine and can be accessed by the pod',
      `Scheduled: Successfully assigned default/plain to ${textAt(body, 'spec', 'nodeName')}`,
      'Started: Container started',
    ]);
  });

  it('waits until a node has room', async () => {
    await start(api, 'big-a', { ...cpu('4'), ...on('a') });
    await start(api, 'big-b', { ...cpu('2'), ...on('b') });
    await api.create(pods, pod('waiting', cpu('1')));
    const waiting = await api.until(
      `${pods}/waiting`,
      (reply) => condition(reply, 'PodScheduled') !== undefined,
    );
    expect(condition(waiting, 'PodScheduled')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message:
        '0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.',
    });
    expect((await eventsOf(api, 'waiting', 1))[0]).toMatch(/^FailedScheduling: 0\/2 nodes are available/);
    /* A changed pod is retried; an event that happens again is counted. */
    await api.patch(`${pods}/waiting`, { spec: { activeDeadlineSeconds: 1000 } });
    const events = '/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=waiting';
    await api.until(events, ({ body }) =>
      objectsAt(body, 'items').some(({ series }) => series !== undefined),
    );
    const [event] = objectsAt((await api.get(events)).body, 'items');
    expect(event).toMatchObject({ series: { count: 2 }, action: 'Scheduling', type: 'Warning' });
    await api.remove(`${pods}/big-b`);
    const { body } = await api.until(`${pods}/waiting`, inPhase('Running'));
    expect(textAt(body, 'spec', 'nodeName')).toBe('b');
    await api.remove(`${pods}/waiting`);
    await api.remove(`${pods}/big-a`);
    await api.until(`${pods}/big-a`, gone);
  });

  it('preempts a less important pod', async () => {
    const important = { priorityClassName: 'important', priority: 1000 };
    /* Where the kind is served, admission requires the class of the priority. */
    await api.create('/apis/scheduling.k8s.io/v1/priorityclasses', {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'important' },
      value: 1000,
    });
    await start(api, 'victim', { ...cpu('2'), ...on('b') });
    await api.cluster.pods.simulate({ namespace: 'default', name: 'victim' }, { type: 'hold' });
    await api.create(pods, pod('preemptor', { ...cpu('2'), ...on('b'), ...important }));
    const victim = await api.until(
      `${pods}/victim`,
      ({ body }) => textAt(body, 'metadata', 'deletionTimestamp') !== '',
    );
    expect(condition(victim, 'DisruptionTarget')).toMatchObject({
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
    });
    const preemptor = await api.get(`${pods}/preemptor`);
    expect(textAt(preemptor.body, 'status', 'nominatedNodeName')).toBe('b');
    const uid = textAt(preemptor.body, 'metadata', 'uid');
    expect(await eventsOf(api, 'victim', 5)).toContain(`Preempted: Preempted by pod ${uid} on node b`);
    await api.cluster.pods
      .simulate({ namespace: 'default', name: 'victim' }, { type: 'run' })
      .catch(() => undefined);
    const { body } = await api.until(`${pods}/preemptor`, inPhase('Running'));
    expect(textAt(body, 'status', 'nominatedNodeName')).toBe('');
    await api.remove(`${pods}/preemptor`);
  });

  it('is not scheduled while it has scheduling gates', async () => {
    const created = await api.create(pods, pod('gated', { schedulingGates: [{ name: 'test.dev/gate' }] }));
    expect(condition(created, 'PodScheduled')).toMatchObject({ status: 'False', reason: 'SchedulingGated' });
    await start(api, 'after');
    expect(textAt((await api.get(`${pods}/gated`)).body, 'spec', 'nodeName')).toBe('');
    await api.patch(`${pods}/gated`, { spec: { schedulingGates: null } });
    await api.until(`${pods}/gated`, inPhase('Running'));
  });

  it('has the outcome that a test requests', async () => {
    const target = (name: string): { namespace: string; name: string } => ({ namespace: 'default', name });
    await api.create(pods, pod('job', { restartPolicy: 'Never' }));
    await api.cluster.pods.simulate(target('job'), { type: 'fail', exitCode: 7 });
    const job = await api.get(`${pods}/job`);
    expect(job.body['status']).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 7 } } }],
    });
    await start(api, 'evicted', { restartPolicy: 'Never' });
    await api.cluster.pods.simulate(target('evicted'), { type: 'evict' });
    expect((await api.get(`${pods}/evicted`)).body['status']).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
    });
    expect(
      (await eventsOf(api, 'evicted', 5)).some((text) => text.startsWith('Evicted: The node was low')),
    ).toBe(true);
    await expect(api.cluster.pods.simulate(target('nothing'), { type: 'run' })).rejects.toThrow(
      'does not exist',
    );
  });

  it('has the outcome of a rule for future pods until the rule is removed', async () => {
    const end = api.cluster.pods.addRule({
      labels: { app: 'slow' },
      outcome: { type: 'hold', reason: 'ImagePullBackOff' },
    });
    const succeed = api.cluster.pods.addRule({ labels: { app: 'task' }, outcome: { type: 'succeed' } });
    await api.create(pods, pod('slow', { labels: { app: 'slow' } }));
    await api.create(pods, pod('task', { labels: { app: 'task' }, restartPolicy: 'Never' }));
    await api.until(`${pods}/task`, inPhase('Succeeded'));
    const slow = await api.until(
      `${pods}/slow`,
      ({ body }) => objectsAt(body, 'status', 'containerStatuses').length > 0,
    );
    expect(slow.body['status']).toMatchObject({
      phase: 'Pending',
      containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }],
    });
    end();
    succeed();
    await api.until(`${pods}/slow`, inPhase('Running'));
  });

  it('ends when its namespace is deleted', async () => {
    await api.create('/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'going' },
    });
    await api.create('/api/v1/namespaces/going/pods', pod('inside'));
    await api.until('/api/v1/namespaces/going/pods/inside', inPhase('Running'));
    await api.remove('/api/v1/namespaces/going');
    await api.until('/api/v1/namespaces/going', gone);
  });

  it('exists until its finalizers are removed', async () => {
    await start(api, 'finalized', {}, { finalizers: ['batch.kubernetes.io/job-tracking'] });
    expect((await api.remove(`${pods}/finalized`)).body['metadata']).toMatchObject({
      deletionGracePeriodSeconds: 30,
    });
    const ended = await api.until(`${pods}/finalized`, inPhase('Succeeded'));
    expect(ended.body['metadata']).toMatchObject({ finalizers: ['batch.kubernetes.io/job-tracking'] });
    await api.patch(`${pods}/finalized`, { metadata: { finalizers: null } });
    await api.until(`${pods}/finalized`, gone);
  });
});
