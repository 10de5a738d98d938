import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@interlock/kube/testing';
import { Gateway, type Replica } from './harness/gateway.js';

let gateway: Gateway;
afterEach(() => gateway.close());

describe('a replica that is killed', () => {
  it('is replaced by a replica that renews the locks of the jobs and concludes the jobs', async () => {
    gateway = await Gateway.start({ busyPolls: true });
    gateway.workers.hangsAll = true;
    await gateway.createGroup('linux', { maxListeners: 2 });
    const first = gateway.startReplica('a');
    const jobs = Array.from({ length: 5 }, () => gateway.enqueue('linux'));
    const pods = await Promise.all(jobs.map((job) => gateway.untilStarted(job)));
    const renewals = (): number => gateway.service.events.counts()['job-renewed'] ?? 0;
    const before = renewals();
    first.kill();
    const second = gateway.startReplica('b');
    await eventually(() => expect(second.groups.get('linux')?.isAdopted).toBe(true));
    await eventually(() => expect(renewals()).toBeGreaterThanOrEqual(before + jobs.length));
    gateway.workers.hangsAll = false;
    const more = gateway.enqueue('linux');
    await Promise.all(pods.map((pod) => gateway.workers.finish(pod)));
    await gateway.untilSucceeded([...jobs, more]);
    await eventually(async () => expect(await gateway.recordsOf('linux')).toEqual([]));
    expect(gateway.service.violations).toEqual([]);
    expect(gateway.service.verdict()).toMatchObject({ jobs: 6, completed: 6, lost: 0, runTwice: 0 });
  }, 120_000);

  it('gives the places of jobs that ended in the meantime to later jobs', async () => {
    gateway = await Gateway.start({ busyPolls: true });
    gateway.workers.hangsAll = true;
    await gateway.createGroup('linux', { maxListeners: 4, maxWorkers: 4 });
    const first = gateway.startReplica('a');
    const jobs = Array.from({ length: 4 }, () => gateway.enqueue('linux'));
    const pods = await Promise.all(jobs.map((job) => gateway.untilStarted(job)));
    first.kill();
    await Promise.all(pods.map((pod) => gateway.workers.finish(pod)));
    gateway.startReplica('b');
    const next = Array.from({ length: 4 }, () => gateway.enqueue('linux'));
    const others = await Promise.all(next.map((job) => gateway.untilStarted(job)));
    gateway.workers.hangsAll = false;
    await Promise.all(others.map((pod) => gateway.workers.finish(pod)));
    await gateway.untilSucceeded([...jobs, ...next]);
    expect(gateway.service.violations).toEqual([]);
    /* Their runners have reported them: there is no lock to renew. */
    const renewals = gateway.service.journal.entries().filter(({ route }) => route.endsWith('/renewjob'));
    expect(new Set(renewals.map(({ status }) => status))).toEqual(new Set([200]));
  }, 120_000);

  it('loses no job and runs none twice while calls fail', async () => {
    gateway = await Gateway.start({ busyPolls: true });
    const { service } = gateway;
    for (const base of ['broker', 'run', 'rest'] as const) {
      const often = { match: { base }, times: Infinity } as const;
      service.faults.add({ ...often, effect: { kind: 'status', status: 503 }, probability: 0.02 });
      service.faults.add({ ...often, effect: { kind: 'reset' }, probability: 0.02 });
      service.faults.add({ ...often, effect: { kind: 'reset-after-commit' }, probability: 0.01 });
    }
    await gateway.createGroup('one', { maxListeners: 3, maxWorkers: 20, evictionRetryDelay: '1s' });
    await gateway.createGroup('two', { maxListeners: 3, maxWorkers: 20, evictionRetryDelay: '1s' });
    let name = 0;
    const replicas: Replica[] = ['a', 'b', 'c'].map((identity) => gateway.startReplica(identity));
    const jobs = Array.from({ length: 60 }, (_, n) => gateway.enqueue(n % 2 === 0 ? 'one' : 'two'));
    const succeeded = () => jobs.filter((job) => gateway.latest(job).conclusion === 'success').length;
    for (const share of [0.25, 0.5, 0.75]) {
      await eventually(() => expect(succeeded()).toBeGreaterThanOrEqual(jobs.length * share));
      const leader = replicas.findIndex(({ groups }) => groups.list().length > 0);
      replicas.splice(Math.max(0, leader), 1)[0]?.kill();
      replicas.push(gateway.startReplica(`r${name++}`));
    }
    await gateway.untilSucceeded(jobs);
    expect(service.violations).toEqual([]);
    expect(service.verdict()).toMatchObject({ lost: 0, runTwice: 0, lockExpired: 0, neverRun: 0 });
  }, 300_000);
});
