import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobHandle } from '@interlock/actions-service';
import type { Gateway } from './harness/gateway.js';
import { OneReplica } from './harness/one-replica.js';

const minute = 60_000;
const agc = new OneReplica();
const { time } = agc;
let gateway: Gateway;

beforeAll(async () => {
  gateway = await agc.start();
}, 30_000);
afterEach(() => {
  gateway.service.faults.clear();
  expect(gateway.service.violations).toEqual([]);
});
afterAll(() => agc.close());

/** Creates a RunnerGroup, and a job that runs until it is finished. */
async function startJob(group: string): Promise<JobHandle> {
  gateway.workers.hangsAll = true;
  await gateway.createGroup(group, { evictionRetryDelay: '1s' });
  const job = gateway.enqueue(group);
  await untilAttempt(job, 1);
  return job;
}

/** Lets time pass until an attempt of a job has its worker. */
async function untilAttempt(job: JobHandle, attempt: number): Promise<void> {
  await time.until(() => {
    expect(gateway.latest(job)).toMatchObject({ attempt, workers: [expect.any(String)] });
  }, 20 * minute);
}

async function finish(group: string, job: JobHandle): Promise<void> {
  const pod = await gateway.podOf(gateway.latest(job));
  if (pod === undefined) throw new Error('the job has no pod');
  await gateway.workers.finish(pod);
  await time.until(() => expect(gateway.latest(job).conclusion).toBe('success'), 5 * minute);
  await untilForgotten(group);
}

const untilForgotten = (group: string) =>
  time.until(async () => expect(await gateway.recordsOf(group)).toEqual([]), 10 * minute);

const untilWithoutPod = (job: JobHandle) =>
  time.until(async () => expect(await gateway.podOf(job)).toBeUndefined(), 10 * minute);

const failRenewals = (minutes: number) =>
  gateway.service.faults.add({
    ...{ match: { route: '*/renewjob' }, times: Infinity, forMs: minutes * minute },
    effect: { kind: 'status', status: 502 },
  });

const completions = (): number =>
  gateway.service.journal.entries({ route: '/run/{shard}/completejob' }).length;

describe('a lock whose renewals fail', () => {
  it('keeps its job when they fail for nine minutes', async () => {
    const job = await startJob('nine');
    const fault = failRenewals(9);
    await time.pass(9.5 * minute);
    expect(fault.hits).toBeGreaterThan(30);
    expect(gateway.job(job)).toMatchObject({ status: 'in_progress', attempt: 1 });
    await finish('nine', job);
    expect(gateway.latest(job).attempt).toBe(1);
  }, 120_000);

  it('is given up with its pod when they fail for sixteen minutes, and the job runs again', async () => {
    const job = await startJob('sixteen');
    failRenewals(16);
    await time.pass(11 * minute);
    expect(gateway.job(job)).toMatchObject({ conclusion: 'failure', cause: 'lost-communication' });
    expect(await gateway.podOf(job)).toBeDefined();
    await time.pass(6 * minute);
    await untilWithoutPod(job);
    await untilAttempt(job, 2);
    await finish('sixteen', job);
  }, 120_000);
});

describe('a job that the service has ended', () => {
  it('does not continue when its lock was not renewed in time, and runs again', async () => {
    const job = await startJob('away');
    agc.kill();
    await time.pass(12 * minute);
    expect(gateway.job(job)).toMatchObject({ conclusion: 'failure', cause: 'lost-communication' });
    agc.replace();
    await untilWithoutPod(job);
    /* Only the service knows whether the lock is still valid. */
    expect(gateway.service.violations.map(({ rule }) => rule)).toEqual(['renew-after-expiry']);
    gateway.service.clearViolations();
    await untilAttempt(job, 2);
    await finish('away', job);
  }, 120_000);

  it('loses its pod and is neither concluded nor run again when a user cancelled it', async () => {
    const job = await startJob('cancelled');
    const before = completions();
    gateway.service.cancelRun(job.runId);
    await time.pass(5 * minute);
    await untilWithoutPod(job);
    await untilForgotten('cancelled');
    await time.pass(2 * minute);
    expect(gateway.latest(job)).toMatchObject({ attempt: 1, conclusion: 'cancelled' });
    expect(completions()).toBe(before);
  }, 120_000);
});
