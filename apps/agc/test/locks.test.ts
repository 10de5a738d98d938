import { afterEach, describe, expect, it } from '@jest/globals';
import type { JobHandle } from '@interlock/actions-service';
import { OneReplica } from './harness/one-replica.js';

const minute = 60_000;
const agc = new OneReplica();
const { time } = agc;

afterEach(() => {
  agc.gateway.service.faults.clear();
  expect(agc.gateway.service.violations).toEqual([]);
});

/** Creates a RunnerGroup, and a job that runs until it is finished. */
async function startJob(group: string): Promise<JobHandle> {
  agc.gateway.workers.hangsAll = true;
  await agc.gateway.createGroup(group, { evictionRetryDelay: '1s' });
  const job = agc.gateway.enqueue(group);
  await untilAttempt(job, 1);
  return job;
}

/** Lets time pass until an attempt of a job has its worker. */
async function untilAttempt(job: JobHandle, attempt: number): Promise<void> {
  await time.until(() => {
    expect(agc.gateway.latest(job)).toMatchObject({ attempt, workers: [expect.any(String)] });
  }, 20 * minute);
}

async function finish(group: string, job: JobHandle): Promise<void> {
  const pod = await agc.gateway.podOf(agc.gateway.latest(job));
  if (pod === undefined) throw new Error('the job has no pod');
  await agc.gateway.workers.finish(pod);
  await time.until(() => expect(agc.gateway.latest(job).conclusion).toBe('success'), 5 * minute);
  await untilForgotten(group);
}

const untilForgotten = (group: string) =>
  time.until(async () => expect(await agc.gateway.recordsOf(group)).toEqual([]), 10 * minute);

const untilWithoutPod = (job: JobHandle) =>
  time.until(async () => expect(await agc.gateway.podOf(job)).toBeUndefined(), 10 * minute);

const failRenewals = (minutes: number) =>
  agc.gateway.service.faults.add({
    ...{ match: { route: '*/renewjob' }, times: Infinity, forMs: minutes * minute },
    effect: { kind: 'status', status: 502 },
  });

const completions = (): number =>
  agc.gateway.service.journal.entries({ route: '/run/{shard}/completejob' }).length;

describe('a lock whose renewals fail', () => {
  it('does not end its job when the renewals fail for nine minutes', async () => {
    const job = await startJob('nine');
    const fault = failRenewals(9);
    await time.pass(9.5 * minute);
    expect(fault.hits).toBeGreaterThan(30);
    expect(agc.gateway.job(job)).toMatchObject({ status: 'in_progress', attempt: 1 });
    await finish('nine', job);
    expect(agc.gateway.latest(job).attempt).toBe(1);
  }, 120_000);

  it('is given up together with the pod when the renewals fail for sixteen minutes, and the job runs again', async () => {
    const job = await startJob('sixteen');
    failRenewals(16);
    await time.pass(11 * minute);
    expect(agc.gateway.job(job)).toMatchObject({ conclusion: 'failure', cause: 'lost-communication' });
    expect(await agc.gateway.podOf(job)).toBeDefined();
    await time.pass(6 * minute);
    await untilWithoutPod(job);
    await untilAttempt(job, 2);
    await finish('sixteen', job);
  }, 120_000);
});

describe('a job that the service has ended', () => {
  it('loses its pod when its lock was not renewed in time, and runs again', async () => {
    const job = await startJob('away');
    agc.kill();
    await time.pass(12 * minute);
    expect(agc.gateway.job(job)).toMatchObject({ conclusion: 'failure', cause: 'lost-communication' });
    agc.replace();
    await untilWithoutPod(job);
    /* Only the service knows whether the lock is still valid. */
    expect(agc.gateway.service.violations.map(({ rule }) => rule)).toEqual(['renew-after-expiry']);
    agc.gateway.service.clearViolations();
    await untilAttempt(job, 2);
    await finish('away', job);
  }, 120_000);

  it('loses its pod and is neither concluded nor run again when a user cancelled it', async () => {
    const job = await startJob('cancelled');
    const before = completions();
    agc.gateway.service.cancelRun(job.runId);
    await time.pass(5 * minute);
    await untilWithoutPod(job);
    await untilForgotten('cancelled');
    await time.pass(2 * minute);
    expect(agc.gateway.latest(job)).toMatchObject({ attempt: 1, conclusion: 'cancelled' });
    expect(completions()).toBe(before);
  }, 120_000);
});
