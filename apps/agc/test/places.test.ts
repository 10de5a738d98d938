import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pod, Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { Gateway, namespace } from './harness/gateway.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.start();
  gateway.startReplica('a');
});
afterAll(() => gateway.close());

describe('the place of a job', () => {
  it('is free again after the record of the job was deleted', async () => {
    gateway.workers.hangsAll = true;
    await gateway.createGroup('unrecorded', { maxWorkers: 1 });
    const pod = await gateway.untilStarted(gateway.enqueue('unrecorded'));
    gateway.workers.hangsAll = false;
    const [name = ''] = await gateway.recordsOf('unrecorded');
    await gateway.client.delete(Secret, { name, namespace });
    await gateway.client.delete(Pod, { name: pod.metadata.name, namespace });
    await gateway.untilSucceeded([gateway.enqueue('unrecorded')]);
  });

  it('is free again in each group to which the job was delivered', async () => {
    const runnerLabels = ['self-hosted', 'shared'];
    const groups = ['shared-a', 'shared-b'];
    for (const name of groups) await gateway.createGroup(name, { runnerLabels, maxWorkers: 1 });
    await eventually(async () => {
      const states = await Promise.all(groups.map((name) => gateway.group(name)));
      expect(states.map(({ status }) => status?.activeSessions)).toEqual([1, 1]);
    });
    await gateway.untilSucceeded([gateway.enqueue('shared', { siblings: 1 })]);
    gateway.workers.hangsAll = true;
    const jobs = [gateway.enqueue('shared'), gateway.enqueue('shared')];
    const pods = await Promise.all(jobs.map((job) => gateway.untilStarted(job)));
    gateway.workers.hangsAll = false;
    await Promise.all(pods.map((one) => gateway.workers.finish(one)));
    await gateway.untilSucceeded(jobs);
  });
});
