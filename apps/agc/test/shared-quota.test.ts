import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ResourceQuota } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { Gateway, namespace, type Replica } from './harness/gateway.js';

const groups = ['left', 'right'];

let gateway: Gateway;
let replica: Replica;
beforeAll(async () => {
  gateway = await Gateway.start();
  replica = gateway.startReplica('a');
});
afterAll(() => gateway.close());

describe('RunnerGroups that share a ResourceQuota', () => {
  it('claim no more jobs than it has room for, and run every job', async () => {
    const quota = { metadata: { name: 'pods', namespace }, apiVersion: 'v1', kind: 'ResourceQuota' };
    await gateway.client.create(ResourceQuota, { ...quota, spec: { hard: { pods: '1' } } });
    for (const name of groups) await gateway.createGroup(name, { quotaRetryDelay: '1s' });
    await eventually(async () => {
      const states = await Promise.all(groups.map((name) => gateway.group(name)));
      expect(states.map(({ status }) => status?.activeSessions)).toEqual([1, 1]);
    });
    const jobs = groups.flatMap((name) => Array.from({ length: 4 }, () => gateway.enqueue(name)));
    await gateway.untilSucceeded(jobs);
    const retries = groups.map((name) => replica.metric('quota_retries_total', { runner_group: name }));
    expect(await Promise.all(retries)).toEqual([0, 0]);
  });
});
