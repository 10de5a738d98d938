import { FakeClock } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import { objectsAt, textAt } from '../object.js';
import type { JsonObject } from '../schema/types.js';
import type { Reply } from '../testing/client.js';
import { useCluster } from '../testing/harness.js';

const clock = new FakeClock();
const api = useCluster({
  clock,
  nodes: [{ name: 'a' }, { name: 'b', capacity: { cpu: '2' }, labels: { disk: 'ssd' } }],
});
const pods = '/api/v1/namespaces/default/pods';
const nodes = '/api/v1/nodes';

function pod(name: string, { labels = {}, ...spec }: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  const containers = [{ name: 'app', image: 'example.com/app:1' }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels, ...metadata },
    spec: { containers, ...spec },
  };
}

const cpu = (amount: string): JsonObject => ({
  containers: [{ name: 'app', image: 'x', resources: { requests: { cpu: amount } } }],
});
const on = (name: string): JsonObject => ({ nodeSelector: { 'kubernetes.io/hostname': name } });
const gone = ({ status }: Reply): boolean => status === 404;
const inPhase =
  (phase: string) =>
  ({ body }: Reply): boolean =>
    textAt(body, 'status', 'phase') === phase;
const condition = ({ body }: Reply, type: string): JsonObject | undefined =>
  objectsAt(body, 'status', 'conditions').find((one) => one['type'] === type);
const isReady = (reply: Reply): boolean => condition(reply, 'Ready')?.['status'] === 'True';
const taintsOf = ({ body }: Reply): string[] =>
  objectsAt(body, 'spec', 'taints').map(({ key, effect }) => `${String(key)}:${String(effect)}`);
const untainted = (reply: Reply): boolean => taintsOf(reply).length === 0;

async function start(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): Promise<Reply> {
  expect((await api.create(pods, pod(name, spec, metadata))).status).toBe(201);
  return api.until(`${pods}/${name}`, inPhase('Running'));
}

async function eventsOf(name: string, count: number): Promise<string[]> {
  const path = `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=${name}`;
  const { body } = await api.until(path, (reply) => objectsAt(reply.body, 'items').length >= count);
  return objectsAt(body, 'items').map(({ reason, message }) => `${String(reason)}: ${String(message)}`);
}

describe('a node', () => {
  it('is ready, has what it was given and renews a lease', async () => {
    const { body } = await api.until(`${nodes}/b`, untainted);
    expect(body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/hostname': 'b', 'kubernetes.io/os': 'linux', disk: 'ssd' } },
      status: { capacity: { cpu: '2', memory: '8Gi', pods: '110' }, allocatable: { cpu: '2' } },
    });
    expect(
      objectsAt(body, 'status', 'conditions').map(({ type, status }) => `${String(type)}=${String(status)}`),
    ).toEqual(['MemoryPressure=False', 'DiskPressure=False', 'PIDPressure=False', 'Ready=True']);
    const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/b';
    const renewed = ({ body }: Reply): string => textAt(body, 'spec', 'renewTime');
    const before = await api.get(lease);
    expect(before.body['spec']).toMatchObject({ holderIdentity: 'b', leaseDurationSeconds: 40 });
    await clock.advance(10_000);
    await api.until(lease, (reply) => renewed(reply) > renewed(before));
  });

  it('takes no new pods while it is cordoned', async () => {
    await api.cluster.nodes.cordon('b');
    await api.until(`${nodes}/b`, (reply) =>
      taintsOf(reply).includes('node.kubernetes.io/unschedulable:NoSchedule'),
    );
    await api.create(pods, pod('cordoned', on('b')));
    const { body } = await api.until(
      `${pods}/cordoned`,
      (reply) => condition(reply, 'PodScheduled') !== undefined,
    );
    expect(objectsAt(body, 'status', 'conditions')[0]?.['message']).toContain('1 node(s) were unschedulable');
    await api.cluster.nodes.uncordon('b');
    await api.until(`${pods}/cordoned`, inPhase('Running'));
    await api.remove(`${pods}/cordoned`);
  });

  it('that is lost is tainted, and its pods are evicted after five minutes', async () => {
    await start('lost', on('b'));
    await start('patient', { ...on('b'), tolerations: [{ operator: 'Exists' }] });
    api.cluster.nodes.lose('b');
    await clock.advance(50_000);
    const tainted = await api.until(`${nodes}/b`, (reply) => taintsOf(reply).length === 2);
    expect(taintsOf(tainted)).toEqual([
      'node.kubernetes.io/unreachable:NoSchedule',
      'node.kubernetes.io/unreachable:NoExecute',
    ]);
    const silent = await api.until(
      `${nodes}/b`,
      (reply) => condition(reply, 'Ready')?.['status'] === 'Unknown',
    );
    expect(condition(silent, 'Ready')).toMatchObject({ reason: 'NodeStatusUnknown' });
    await api.until(`${pods}/lost`, (reply) => condition(reply, 'Ready')?.['status'] === 'False');
    await clock.advance(301_000);
    const evicted = await api.until(
      `${pods}/lost`,
      ({ body }) => textAt(body, 'metadata', 'deletionTimestamp') !== '',
    );
    expect(condition(evicted, 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByTaintManager',
    });
    await api.cluster.nodes.restore('b');
    await api.until(`${nodes}/b`, (reply) => isReady(reply) && untainted(reply));
    await api.until(`${pods}/lost`, gone);
    await api.until(`${pods}/patient`, isReady);
    await api.remove(`${pods}/patient`);
  });

  it('that is deleted leaves pods behind for forty seconds', async () => {
    await start('orphan', on('b'), { finalizers: ['test.dev/hold'] });
    api.cluster.nodes.lose('b');
    await api.remove(`${nodes}/b`);
    await api.get(`${pods}/orphan`);
    await clock.advance(40_000);
    const orphan = await api.until(`${pods}/orphan`, inPhase('Failed'));
    expect(condition(orphan, 'DisruptionTarget')).toMatchObject({
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
    });
    await api.patch(`${pods}/orphan`, { metadata: { finalizers: null } });
    await api.until(`${pods}/orphan`, gone);
    await api.cluster.nodes.restore('b');
    await api.until(`${nodes}/b`, untainted);
  });

  it('that startDevCluster was not given cannot be lost', () => {
    expect(() => api.cluster.nodes.lose('other')).toThrow('the node "other" is not one of the nodes');
  });
});

describe('a pod', () => {
  it('gets a node, runs, and reports it as a kubelet does', async () => {
    const { body } = await start('plain');
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
    expect((await eventsOf('plain', 4)).sort()).toEqual([
      'Created: Container created',
      'Pulled: Container image "example.com/app:1" already present on machine and can be accessed by the pod',
      `Scheduled: Successfully assigned default/plain to ${textAt(body, 'spec', 'nodeName')}`,
      'Started: Container started',
    ]);
  });

  it('waits for room and gets a node once there is', async () => {
    await start('big-a', { ...cpu('4'), ...on('a') });
    await start('big-b', { ...cpu('2'), ...on('b') });
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
    expect((await eventsOf('waiting', 1))[0]).toMatch(/^FailedScheduling: 0\/2 nodes are available/);
    await api.remove(`${pods}/big-b`);
    const { body } = await api.until(`${pods}/waiting`, inPhase('Running'));
    expect(textAt(body, 'spec', 'nodeName')).toBe('b');
    await api.remove(`${pods}/waiting`);
    await api.remove(`${pods}/big-a`);
    await api.until(`${pods}/big-a`, gone);
  });

  it('takes the place of a less important one', async () => {
    const important = { priorityClassName: 'important', priority: 1000 };
    /* Where the kind is served, admission requires the class of the priority. */
    await api.create('/apis/scheduling.k8s.io/v1/priorityclasses', {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'important' },
      value: 1000,
    });
    await start('victim', { ...cpu('2'), ...on('b') });
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
    expect(await eventsOf('victim', 5)).toContain(`Preempted: Preempted by pod ${uid} on node b`);
    await api.cluster.pods
      .simulate({ namespace: 'default', name: 'victim' }, { type: 'run' })
      .catch(() => undefined);
    const { body } = await api.until(`${pods}/preemptor`, inPhase('Running'));
    expect(textAt(body, 'status', 'nominatedNodeName')).toBe('');
    await api.remove(`${pods}/preemptor`);
  });

  it('is left alone while it has scheduling gates', async () => {
    const created = await api.create(pods, pod('gated', { schedulingGates: [{ name: 'test.dev/gate' }] }));
    expect(condition(created, 'PodScheduled')).toMatchObject({ status: 'False', reason: 'SchedulingGated' });
    await start('after');
    expect(textAt((await api.get(`${pods}/gated`)).body, 'spec', 'nodeName')).toBe('');
    await api.patch(`${pods}/gated`, { spec: { schedulingGates: null } });
    await api.until(`${pods}/gated`, inPhase('Running'));
  });

  it('does what a test says', async () => {
    const target = (name: string): { namespace: string; name: string } => ({ namespace: 'default', name });
    await api.create(pods, pod('job', { restartPolicy: 'Never' }));
    await api.cluster.pods.simulate(target('job'), { type: 'fail', exitCode: 7 });
    const job = await api.get(`${pods}/job`);
    expect(job.body['status']).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 7 } } }],
    });
    await start('evicted', { restartPolicy: 'Never' });
    await api.cluster.pods.simulate(target('evicted'), { type: 'evict' });
    expect((await api.get(`${pods}/evicted`)).body['status']).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
    });
    expect((await eventsOf('evicted', 5)).some((text) => text.startsWith('Evicted: The node was low'))).toBe(
      true,
    );
    await expect(api.cluster.pods.simulate(target('nothing'), { type: 'run' })).rejects.toThrow(
      'does not exist',
    );
  });

  it('follows the rules for pods to come, until they end', async () => {
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

  it('stays until its finalizers are removed', async () => {
    await start('finalized', {}, { finalizers: ['batch.kubernetes.io/job-tracking'] });
    expect((await api.remove(`${pods}/finalized`)).body['metadata']).toMatchObject({
      deletionGracePeriodSeconds: 30,
    });
    const ended = await api.until(`${pods}/finalized`, inPhase('Succeeded'));
    expect(ended.body['metadata']).toMatchObject({ finalizers: ['batch.kubernetes.io/job-tracking'] });
    await api.patch(`${pods}/finalized`, { metadata: { finalizers: null } });
    await api.until(`${pods}/finalized`, gone);
  });
});
