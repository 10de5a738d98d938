import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobHandle, ServiceFaultEffect } from '@interlock/actions-service';
import { Event } from '@interlock/kube';
import { namespace, type Gateway } from './harness/gateway.js';
import { OneReplica } from './harness/one-replica.js';

const minute = 60_000;
const agc = new OneReplica();
const { time } = agc;
let gateway: Gateway;
let names = 0;

beforeAll(async () => {
  gateway = await agc.start({ busyPolls: true });
}, 30_000);
afterEach(() => {
  gateway.service.faults.clear();
  expect(gateway.service.violations).toEqual([]);
});
afterAll(() => agc.close());

const attemptsOf = ({ runId }: JobHandle): [number, string | undefined][] =>
  gateway.service
    .jobs()
    .filter((job) => job.runId === runId)
    .map(({ attempt, conclusion }) => [attempt, conclusion]);

async function reasonsOf(group: string): Promise<string[]> {
  const { items } = await gateway.client.list(Event, { namespace });
  return items.filter(({ regarding }) => regarding?.name === group).map(({ reason = '' }) => reason);
}

/** Drops the answer to the claim of a job, and ends the replica that made the claim. */
async function loseClaim(group: string): Promise<JobHandle> {
  const match = { route: '*/acquirejob' };
  await gateway.createGroup(group, { evictionRetryDelay: '1s' });
  const fault = gateway.service.faults.add({ match, effect: { kind: 'reset-after-commit' } });
  gateway.service.faults.add({ match, effect: { kind: 'reset' }, times: Infinity });
  const job = gateway.enqueue(group);
  await time.until(() => expect(fault.hits).toBe(1), 5 * minute);
  agc.kill();
  gateway.service.faults.clear();
  return job;
}

describe('a job whose claim was lost', () => {
  it.each([
    { minutes: 5, state: 'still has it', status: 'in_progress' },
    { minutes: 12, state: 'has let its lock run out', status: 'in_progress' },
    { minutes: 20, state: 'has ended its run', status: 'completed' },
  ])(
    'runs again when the next replica starts $minutes minutes later and the service $state',
    async ({ minutes, status }) => {
      const job = await loseClaim(`lost-${minutes}`);
      await time.pass(minutes * minute);
      expect(gateway.job(job)).toMatchObject({ status, workers: [] });
      agc.replace();
      await time.until(() => expect(attemptsOf(job).at(-1)).toEqual([2, 'success']), 20 * minute);
    },
    120_000,
  );

  it('does not run again when its user has cancelled it in the meantime', async () => {
    const job = await loseClaim('lost-cancelled');
    gateway.service.cancelRun(job.runId);
    await time.pass(20 * minute);
    agc.replace();
    const isWithheld = async () =>
      expect(await reasonsOf('lost-cancelled')).toContain('EvictionRerunWithheld');
    await time.until(isWithheld, 5 * minute);
    expect(attemptsOf(job)).toEqual([[1, 'cancelled']]);
  }, 120_000);
});

const refusal = (status: number, message: string): ServiceFaultEffect => ({
  ...{ kind: 'status', status, body: { message } },
});

describe('the run of an evicted job', () => {
  it.each<[title: string, effect: ServiceFaultEffect, times: number, reason: string, attempts: number]>([
    [
      'is run again after refusals while the run is active',
      refusal(403, 'already running'),
      3,
      'RunRerun',
      2,
    ],
    [
      'is run again as a whole if its job cannot be run again alone',
      refusal(404, 'Not Found'),
      1,
      'RunRerun',
      2,
    ],
    [
      'is not run again when GitHub refuses permanently',
      refusal(422, 'Not allowed'),
      1,
      'EvictionRerunFailed',
      1,
    ],
    ['is not run again when it is too old', refusal(403, 'cannot be retried'), 1, 'EvictionRerunFailed', 1],
  ])(
    '%s',
    async (_title, effect, times, reason, attempts) => {
      const group = `evicted-${names++}`;
      gateway.workers.hangsAll = true;
      await gateway.createGroup(group, { evictionRetryDelay: '1s' });
      const job = gateway.enqueue(group);
      await time.until(() => expect(gateway.job(job).workers).toHaveLength(1), 5 * minute);
      gateway.workers.hangsAll = false;
      gateway.service.faults.add({ match: { route: '*/jobs/{job}/rerun' }, effect, times });
      const name = (await gateway.podOf(job))?.metadata.name ?? '';
      await gateway.cluster.pods.simulate({ namespace, name }, { type: 'evict' });
      await time.until(async () => expect(await reasonsOf(group)).toContain(reason), 5 * minute);
      await time.until(() => expect(attemptsOf(job)).toHaveLength(attempts), minute);
      const last = attempts === 1 ? 'failure' : 'success';
      await time.until(() => expect(attemptsOf(job).at(-1)?.[1]).toBe(last), 5 * minute);
    },
    120_000,
  );
});
