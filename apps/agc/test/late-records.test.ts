import { afterEach, describe, expect, it } from '@jest/globals';
import type { FaultRequest } from '@interlock/devcluster';
import { Secret } from '@interlock/kube';
import { eventually } from '@interlock/kube/testing';
import { Gateway, namespace } from './harness/gateway.js';

let gateway: Gateway;
afterEach(() => gateway.close());

describe('a job that a replica records after another one has taken over', () => {
  it('ends, and its record is removed', async () => {
    gateway = await Gateway.start({ busyPolls: true });
    await gateway.createGroup('late', { evictionRetryDelay: '1s' });
    const first = gateway.startReplica('a');
    await eventually(() => expect(gateway.service.runners()[0]?.session).toBeDefined());
    const job = gateway.enqueue('late');
    /* As if the first replica were paused before it records that its runner has the job. */
    const isPaused = ({ method, path }: FaultRequest): boolean =>
      gateway.job(job).status === 'in_progress' && (method === 'PUT' || path.endsWith('/pods'));
    const resume = gateway.cluster.faults.inject({ when: isPaused, status: 503 });
    const [name = ''] = await eventually(async () => {
      const names = await gateway.recordsOf('late');
      expect(names).toHaveLength(1);
      return names;
    });
    const { metadata, data } = await gateway.client.get(Secret, { name, namespace });
    first.kill();
    await gateway.client.delete(Secret, { name, namespace });
    const second = gateway.startReplica('b');
    resume();
    const lost = { reason: 'lost' };
    await eventually(async () =>
      expect(await second.metric('actions_gateway_job_acquisition_errors_total', lost)).toBe(1),
    );
    const { labels, annotations, ownerReferences } = metadata;
    await gateway.client.create(Secret, {
      ...{ apiVersion: 'v1', kind: 'Secret', data },
      metadata: { name, namespace, labels, annotations, ownerReferences },
    });
    await eventually(async () => expect(await gateway.recordsOf('late')).toEqual([]));
    await gateway.untilSucceeded([job]);
    expect(gateway.service.violations).toEqual([]);
    expect(gateway.service.verdict()).toMatchObject({ lost: 0, runTwice: 0, lockExpired: 0, neverRun: 0 });
  });
});
