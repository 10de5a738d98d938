import { afterEach, describe, expect, it } from '@jest/globals';
import type { JobHandle, ServiceFaultEffect } from '@interlock/actions-service';
import { RunnerGroup } from '@interlock/api';
import type { FaultRequest } from '@interlock/devcluster';
import { Event, Pod, Secret } from '@interlock/kube';
import { namespace } from './harness/gateway.js';
import { OneReplica } from './harness/one-replica.js';

const minute = 60_000;
const agc = new OneReplica({ busyPolls: true });
const { time } = agc;
let names = 0;

afterEach(() => {
  agc.gateway.service.faults.clear();
  expect(agc.gateway.service.violations).toEqual([]);
});

const attemptsOf = ({ runId }: JobHandle): [number, string | undefined][] =>
  agc.gateway.service
    .jobs()
    .filter((job) => job.runId === runId)
    .map(({ attempt, conclusion }) => [attempt, conclusion]);

async function reasonsOf(group: string): Promise<string[]> {
  const { items } = await agc.gateway.client.list(Event, { namespace });
  return items.filter(({ regarding }) => regarding?.name === group).map(({ reason = '' }) => reason);
}

/** Drops the answer to the claim of a job, and ends the replica that made the claim. */
async function loseClaim(group: string): Promise<JobHandle> {
  const match = { route: '*/acquirejob' };
  await agc.gateway.createGroup(group, { evictionRetryDelay: '1s' });
  const fault = agc.gateway.service.faults.add({ match, effect: { kind: 'reset-after-commit' } });
  agc.gateway.service.faults.add({ match, effect: { kind: 'reset' }, times: Infinity });
  const job = agc.gateway.enqueue(group);
  await time.until(() => expect(fault.hits).toBe(1), 5 * minute);
  agc.kill();
  agc.gateway.service.faults.clear();
  return job;
}

describe('a job whose claim was lost', () => {
  it.each([
    { minutes: 5, state: 'still keeps the job', status: 'in_progress' },
    { minutes: 12, state: 'has let the lock of the job expire', status: 'in_progress' },
    { minutes: 20, state: 'has ended the run of the job', status: 'completed' },
  ])(
    'runs again when the next replica starts $minutes minutes later and the service $state',
    async ({ minutes, status }) => {
      const job = await loseClaim(`lost-${minutes}`);
      await time.pass(minutes * minute);
      expect(agc.gateway.job(job)).toMatchObject({ status, workers: [] });
      agc.replace();
      await time.until(() => expect(attemptsOf(job).at(-1)).toEqual([2, 'success']), 20 * minute);
    },
    120_000,
  );

  it('does not run again when its user has cancelled it in the meantime', async () => {
    const job = await loseClaim('lost-cancelled');
    agc.gateway.service.cancelRun(job.runId);
    await time.pass(20 * minute);
    agc.replace();
    const isWithheld = async () =>
      expect(await reasonsOf('lost-cancelled')).toContain('EvictionRerunWithheld');
    await time.until(isWithheld, 5 * minute);
    expect(attemptsOf(job)).toEqual([[1, 'cancelled']]);
  }, 120_000);
});

it('runs a job again soon after the evictionRetryDelay of its group was shortened', async () => {
  const group = 'shortened';
  await agc.gateway.createGroup(group, { evictionRetryDelay: '24h' });
  agc.gateway.workers.hangsAll = true;
  const job = agc.gateway.enqueue(group);
  await time.until(() => expect(agc.gateway.job(job).workers).toHaveLength(1), 5 * minute);
  const name = (await agc.gateway.podOf(job))?.metadata.name ?? '';
  agc.gateway.workers.hangsAll = false;
  await agc.gateway.cluster.pods.simulate({ namespace, name }, { type: 'evict' });
  await time.until(async () => expect(await agc.gateway.recordsOf(group)).toEqual([]), 5 * minute);
  const patch = { spec: { evictionRetryDelay: '1s' } };
  await agc.gateway.client.patch(RunnerGroup, { name: group, namespace }, { type: 'merge', patch });
  await time.until(() => expect(attemptsOf(job).at(-1)).toEqual([2, 'success']), 5 * minute);
});

it('runs a job again whose pod was removed before its runner started', async () => {
  const { client } = agc.gateway;
  await agc.gateway.createGroup('pending', {
    podTemplate: { spec: { containers: [], nodeSelector: { zone: 'none' } } },
    evictionRetryDelay: '1s',
  });
  const job = agc.gateway.enqueue('pending');
  let pod: Pod | undefined;
  const isRecorded = async () => {
    pod = await agc.gateway.podOf(job);
    const [name = ''] = await agc.gateway.recordsOf('pending');
    const { metadata } = await client.get(Secret, { name, namespace });
    expect(metadata.ownerReferences?.map(({ kind }) => kind)).toContain('Pod');
  };
  await time.until(isRecorded, minute);
  await client.patch(
    RunnerGroup,
    { name: 'pending', namespace },
    { type: 'merge', patch: { spec: { podTemplate: { spec: null } } } },
  );
  await client.delete(Pod, { name: pod?.metadata.name ?? '', namespace });
  await time.until(() => expect(attemptsOf(job).at(-1)).toEqual([2, 'success']), 5 * minute);
});

it('has room for another job after a pod was removed that its cache never had', async () => {
  const { client, cluster } = agc.gateway;
  await agc.gateway.createGroup('unseen', { maxWorkers: 1, evictionRetryDelay: '1s' });
  const isOfCache = ({ info: { resource, verb } }: FaultRequest): boolean =>
    resource?.plural === 'pods' && (verb === 'list' || verb === 'watch');
  const uncover = cluster.faults.inject({ when: isOfCache, status: 410 });
  cluster.faults.cut(isOfCache);
  const job = agc.gateway.enqueue('unseen');
  const key = { name: `runner-unseen-${job.planId}`, namespace };
  await time.until(() => client.delete(Pod, key, { gracePeriodSeconds: 0 }), minute);
  uncover();
  await time.until(() => expect(attemptsOf(job).at(-1)).toEqual([2, 'success']), 30 * minute);
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
      'is run again after GitHub has refused the credential',
      refusal(401, 'Bad credentials'),
      2,
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
      agc.gateway.workers.hangsAll = true;
      await agc.gateway.createGroup(group, { evictionRetryDelay: '1s' });
      const job = agc.gateway.enqueue(group);
      await time.until(() => expect(agc.gateway.job(job).workers).toHaveLength(1), 5 * minute);
      agc.gateway.workers.hangsAll = false;
      agc.gateway.service.faults.add({ match: { route: '*/jobs/{job}/rerun' }, effect, times });
      const name = (await agc.gateway.podOf(job))?.metadata.name ?? '';
      await agc.gateway.cluster.pods.simulate({ namespace, name }, { type: 'evict' });
      await time.until(async () => expect(await reasonsOf(group)).toContain(reason), 5 * minute);
      await time.until(() => expect(attemptsOf(job)).toHaveLength(attempts), minute);
      const last = attempts === 1 ? 'failure' : 'success';
      await time.until(() => expect(attemptsOf(job).at(-1)?.[1]).toBe(last), 5 * minute);
    },
    120_000,
  );
});

it('runs the jobs of one run again that were evicted from two groups', async () => {
  agc.gateway.workers.hangsAll = true;
  const groups = ['both-left', 'both-right'];
  for (const group of groups) await agc.gateway.createGroup(group, { evictionRetryDelay: '1s' });
  const left = agc.gateway.enqueue('both-left');
  const right = agc.gateway.enqueue('both-right', { runId: left.runId });
  for (const job of [left, right])
    await time.until(() => expect(agc.gateway.job(job).workers).toHaveLength(1), 5 * minute);
  agc.gateway.workers.hangsAll = false;
  for (const job of [left, right]) {
    const name = (await agc.gateway.podOf(job))?.metadata.name ?? '';
    await agc.gateway.cluster.pods.simulate({ namespace, name }, { type: 'evict' });
  }
  const succeeded = () => attemptsOf(left).filter(([, conclusion]) => conclusion === 'success');
  await time.until(() => expect(succeeded()).toHaveLength(2), 20 * minute);
});
