import { FakeClock } from '@interlock/base/testing';
import { describe, expect, it } from '@jest/globals';
import { objectsAt, textAt } from '../object.js';
import type { Reply } from '../testing/client.js';
import { useCluster } from '../testing/harness.js';
import {
  condition,
  gone,
  inPhase,
  isReady,
  on,
  pod,
  pods,
  start,
  taintsOf,
  untainted,
} from './testing/pods.js';

const clock = new FakeClock();
const api = useCluster({
  clock,
  nodes: [{ name: 'a' }, { name: 'b', capacity: { cpu: '2' }, labels: { disk: 'ssd' } }],
});
const nodes = '/api/v1/nodes';

describe('a node', () => {
  it('is ready, has the given capacity and labels, and renews a lease', async () => {
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

  it('accepts no new pods while it is cordoned', async () => {
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
    await start(api, 'lost', on('b'));
    await start(api, 'patient', { ...on('b'), tolerations: [{ operator: 'Exists' }] });
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
    await start(api, 'orphan', on('b'), { finalizers: ['test.dev/hold'] });
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

  it('that does not belong to startDevCluster cannot be lost', () => {
    expect(() => api.cluster.nodes.lose('other')).toThrow('the node "other" is not one of the nodes');
  });
});
