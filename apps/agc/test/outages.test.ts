import { afterEach, describe, expect, it } from '@jest/globals';
import { ifFound, RunnerGroup } from '@interlock/api';
import type { JobHandle, ServiceFaultEffect, ServiceFaultMatch } from '@interlock/actions-service';
import { Event } from '@interlock/kube';
import { namespace } from './harness/gateway.js';
import { OneReplica } from './harness/one-replica.js';

const minute = 60_000;
const agc = new OneReplica({ busyPolls: true });
const { time } = agc;
let names = 0;

afterEach(() => {
  agc.gateway.service.faults.clear();
  agc.gateway.service.clearViolations();
});

/** Creates a RunnerGroup, and jobs that run until they are finished. */
async function startJobs(group: string, count: number): Promise<JobHandle[]> {
  agc.gateway.workers.hangsAll = true;
  await agc.gateway.createGroup(group, { maxListeners: 2, evictionRetryDelay: '1s' });
  const jobs = Array.from({ length: count }, () => agc.gateway.enqueue(group));
  await untilStarted(jobs);
  return jobs;
}

async function untilStarted(jobs: readonly JobHandle[]): Promise<void> {
  await time.until(() => {
    for (const job of jobs) expect(agc.gateway.latest(job).workers).toHaveLength(1);
  }, 20 * minute);
}

/** Lets runners finish, and requires that the service saw every job run once to its end. */
async function finish(group: string, jobs: readonly JobHandle[]): Promise<void> {
  agc.gateway.workers.hangsAll = false;
  for (const job of jobs) {
    const pod = await agc.gateway.podOf(agc.gateway.latest(job));
    if (pod !== undefined) await agc.gateway.workers.finish(pod);
  }
  await time.until(() => {
    expect(jobs.map((job) => agc.gateway.latest(job).conclusion)).toEqual(jobs.map(() => 'success'));
  }, 20 * minute);
  await time.until(async () => expect(await agc.gateway.recordsOf(group)).toEqual([]), 10 * minute);
  expect(agc.gateway.service.violations).toEqual([]);
  expect(agc.gateway.service.verdict()).toMatchObject({ lost: 0, runTwice: 0, lockExpired: 0, neverRun: 0 });
  await removeGroup(group);
}

/** Deletes the group, because its lease and polls would slow down every later test. */
async function removeGroup(name: string): Promise<void> {
  await agc.gateway.client.delete(RunnerGroup, { name, namespace });
  await time.until(async () => expect(await ifFound(agc.gateway.group(name))).toBeUndefined(), 10 * minute);
}

async function replaceReplica(): Promise<void> {
  agc.replace();
  await time.pass(20_000);
}

const retryAfter = (seconds: number): ServiceFaultEffect => ({
  ...{ kind: 'too-many-requests', retryAfter: 'seconds', seconds },
});
const limit = { kind: 'too-many-requests' } as const;
const reset = { kind: 'reset-after-commit' } as const;
const everything = { base: undefined };
const rest = { base: 'rest' } as const;
const renew = { route: '*/renewjob' };

interface Burst {
  name: string;
  match: ServiceFaultMatch;
  effect: ServiceFaultEffect;
  minutes: number;
}

/** A lock lasts ten minutes, and an offer lasts two. */
const bursts: readonly Burst[] = [
  { name: 'polls', match: { route: '/broker/message' }, effect: retryAfter(60), minutes: 3 },
  { name: 'sessions', match: { route: '/broker/session' }, effect: retryAfter(60), minutes: 3 },
  { name: 'claims', match: { route: '*/acquirejob' }, effect: retryAfter(60), minutes: 3 },
  { name: 'renewals', match: renew, effect: retryAfter(60), minutes: 3 },
  { name: 'tokens of runners', match: { base: 'token' }, effect: retryAfter(60), minutes: 3 },
  { name: 'REST', match: rest, effect: retryAfter(60), minutes: 3 },
  { name: 'everything', match: everything, effect: retryAfter(60), minutes: 3 },
  {
    ...{ name: 'everything, which states a date', minutes: 3, match: everything },
    effect: { ...limit, retryAfter: 'date', seconds: 60 },
  },
  {
    ...{ name: 'everything, which states nothing', minutes: 3, match: everything },
    effect: { ...limit, retryAfter: 'absent' },
  },
  {
    ...{ name: 'everything, which asks for years', minutes: 3, match: everything },
    effect: { ...limit, retryAfter: 'absurd' },
  },
  { name: 'renewals, by five minutes each', match: renew, effect: retryAfter(300), minutes: 8 },
  {
    name: 'REST, beyond its hourly limit',
    match: rest,
    effect: { kind: 'primary-limit', seconds: 900 },
    minutes: 3,
  },
  {
    name: 'REST, by its secondary limit',
    match: rest,
    effect: { kind: 'secondary-limit', seconds: 300 },
    minutes: 3,
  },
];

describe('a burst of 429', () => {
  it.each(bursts)('that refuses $name costs no job', async ({ match, effect, minutes }) => {
    const group = `limit-${names++}`;
    const running = await startJobs(group, 3);
    const fault = agc.gateway.service.faults.add({
      match,
      effect,
      times: Infinity,
      forMs: minutes * minute,
    });
    const queued = Array.from({ length: 3 }, () => agc.gateway.enqueue(group));
    await time.pass(minute);
    await replaceReplica();
    await time.pass(minutes * minute + 2 * minute);
    expect(fault.hits).toBeGreaterThan(0);
    await untilStarted(queued);
    await finish(group, [...running, ...queued]);
  });
});

describe('three minutes in which calls that conclude jobs', () => {
  it.each<[string, ServiceFaultEffect, string]>([
    ['are refused with 429', retryAfter(60), 'in_progress'],
    ['fail', { kind: 'status', status: 500 }, 'in_progress'],
    ['lose their answers', reset, 'completed'],
  ])('%s do not change the outcome of a job whose runner has crashed', async (_name, effect, meanwhile) => {
    const group = `crashed-${names++}`;
    const [job] = await startJobs(group, 1);
    if (job === undefined) throw new Error('no job');
    const match = { route: '*/completejob' };
    const fault = agc.gateway.service.faults.add({
      ...{ match, effect, times: Infinity, forMs: 3 * minute },
    });
    const name = (await agc.gateway.podOf(job))?.metadata.name ?? '';
    await agc.gateway.cluster.pods.simulate({ namespace, name }, { type: 'fail', exitCode: 1 });
    await time.pass(2 * minute);
    expect(fault.hits).toBeGreaterThan(0);
    expect(agc.gateway.job(job).status).toBe(meanwhile);
    await time.until(() => expect(agc.gateway.job(job).conclusion).toBe('failure'), 5 * minute);
    expect(agc.gateway.job(job).cause).toBe('reported');
    await time.until(async () => expect(await agc.gateway.recordsOf(group)).toEqual([]), 10 * minute);
    await removeGroup(group);
  });
});

const broken: readonly { name: string; minutes: number; match?: ServiceFaultMatch }[] = [
  { name: 'while jobs run and others come', minutes: 1 },
  { name: 'right after a claim that had its effect', minutes: 1, match: { route: '*/acquirejob' } },
  {
    name: 'right after a claim, for longer than an offer lasts',
    minutes: 4,
    match: { route: '*/acquirejob' },
  },
  { name: 'right after a registration', minutes: 1, match: { route: '*/generate-jitconfig' } },
  { name: 'right after a session was created', minutes: 3, match: { route: '/broker/session' } },
  { name: 'right after a renewal, for nearly a lock', minutes: 8, match: { route: '*/renewjob' } },
];

describe('a partition from the service', () => {
  it.each(broken)('$name costs no job', async ({ minutes, match }) => {
    const { service } = agc.gateway;
    const group = `partition-${names++}`;
    const running = await startJobs(group, 3);
    const fault = match && service.faults.add({ match, effect: reset });
    /* The partition begins with the call whose answer is lost, not with the next second. */
    if (match !== undefined)
      service.faults.add({ match, effect: { kind: 'reset' }, times: Infinity, forMs: minutes * minute });
    const queued = Array.from({ length: 3 }, () => agc.gateway.enqueue(group));
    if (fault !== undefined) await time.until(() => expect(fault.hits).toBe(1), 5 * minute);
    service.partition(minutes * minute);
    await time.pass(minute / 2);
    await replaceReplica();
    await time.pass(minutes * minute);
    await untilStarted(queued);
    await finish(group, [...running, ...queued]);
  });
});

describe('an outage of the API server', () => {
  it.each([
    { name: 'of a minute', minutes: 1 },
    { name: 'for longer than a lock lasts', minutes: 15 },
  ])('$name costs no job', async ({ minutes }) => {
    const group = `away-${names++}`;
    const running = await startJobs(group, 3);
    time.isHeldByCalls = false;
    agc.gateway.cluster.faults.inject({ when: () => true, cutAfterBytes: 0 });
    agc.gateway.cluster.faults.cut();
    await time.pass(minutes * minute);
    agc.gateway.cluster.faults.clear();
    time.isHeldByCalls = true;
    const queued = Array.from({ length: 3 }, () => agc.gateway.enqueue(group));
    await untilStarted(queued);
    await finish(group, [...running, ...queued]);
  });
});

describe('an admission webhook that fails', () => {
  it('is reported by the RunnerGroup, and the job starts when the webhook works again', async () => {
    const group = `unadmitted-${names++}`;
    agc.gateway.workers.hangsAll = false;
    await agc.gateway.createGroup(group);
    const repair = agc.gateway.cluster.faults.inject({
      when: ({ info }) => info.verb === 'create' && info.resource?.plural === 'pods',
      status: 500,
    });
    const job = agc.gateway.enqueue(group);
    const degraded = async () => {
      const { status } = await agc.gateway.group(group);
      return status?.conditions?.find(({ type }) => type === 'Degraded');
    };
    await time.until(async () => {
      const { items } = await agc.gateway.client.list(Event, { namespace });
      const found = items.filter(({ regarding }) => regarding?.name === group);
      expect(found.map(({ reason }) => reason)).toContain('JobStepFailed');
      expect(await degraded()).toMatchObject({ status: 'True', reason: 'JobStepFailing' });
    }, 5 * minute);
    repair();
    await time.until(async () => expect(await degraded()).toMatchObject({ status: 'False' }), 5 * minute);
    await finish(group, [job]);
  });
});

describe('a missing permission', () => {
  it('keeps a claimed job waiting, with a renewed lock, until it is granted', async () => {
    const group = `forbidden-${names++}`;
    agc.gateway.workers.hangsAll = false;
    await agc.gateway.createGroup(group);
    await time.until(
      async () => expect((await agc.gateway.group(group)).status?.activeSessions).toBe(1),
      minute,
    );
    const grant = agc.gateway.cluster.faults.inject({
      when: ({ info }) => info.verb === 'create' && info.resource?.plural === 'secrets',
      status: 403,
    });
    const job = agc.gateway.enqueue(group);
    const events = () => agc.gateway.service.events.entries({ job: job.id }).map(({ type }) => type);
    await time.until(() => expect(events()).toContain('job-acquired'), minute);
    await time.pass(20 * minute);
    expect(agc.gateway.job(job)).toMatchObject({ workers: [], status: 'in_progress' });
    const { items } = await agc.gateway.client.list(Event, { namespace });
    expect(items.map(({ reason }) => reason)).toContain('JobNotStored');
    grant();
    await finish(group, [job]);
  });
});
