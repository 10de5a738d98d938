import { afterEach, describe, expect, it } from '@jest/globals';
import type { JobHandle } from '@interlock/actions-service';
import { Gateway } from './harness/gateway.js';
import { SimulatedTime } from './harness/simulated-time.js';

const minute = 60_000;
const lockMs = 10 * minute;
let gateway: Gateway;
afterEach(() => gateway.close());

/** Returns the longest time between two renewals of a job, in milliseconds. */
function longestGap(job: string): number {
  const times = gateway.service.events
    .entries({ job })
    .flatMap(({ type, at }) => (/acquired|renewed/.test(type) ? [at] : []));
  return Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)));
}

describe('a job of 30 minutes', () => {
  it('keeps its lock while the replica that leads is killed ten times', async () => {
    const time = new SimulatedTime();
    gateway = await Gateway.start({ busyPolls: true, time });
    gateway.workers.hangsAll = true;
    await gateway.createGroup('long');
    let replica = gateway.startReplica('r0');
    const job = gateway.enqueue('long');
    await time.until(() => expect(gateway.job(job).workers).toHaveLength(1), 5 * minute);
    const startedAt = time.clock.monotonic();
    for (let restart = 1; restart <= 10; restart++) {
      await time.pass(2.5 * minute);
      replica.kill();
      await time.pass(5_000);
      replica = gateway.startReplica(`r${restart}`);
      const tookMs = await time.until(() => expect(replica.groups.get('long')?.isAdopted).toBe(true), minute);
      /* Ten seconds by the lease; on a busy machine simulated time runs ahead of the calls. */
      expect(tookMs).toBeLessThanOrEqual(minute);
    }
    await time.pass(30 * minute - (time.clock.monotonic() - startedAt));
    const pod = await gateway.podOf(job);
    if (pod === undefined) throw new Error('the job has no pod');
    await gateway.workers.finish(pod);
    await time.until(() => expect(gateway.job(job).conclusion).toBe('success'), minute);
    await time.until(async () => expect(await gateway.recordsOf('long')).toEqual([]), minute);
    expect(longestGap(job.id)).toBeLessThan(lockMs / 5);
    expect(gateway.service.violations).toEqual([]);
    expect(gateway.service.verdict()).toMatchObject({
      jobs: 1,
      completed: 1,
      lost: 0,
      lockExpired: 0,
      runTwice: 0,
    });
  }, 120_000);
});

describe('three replicas, one of which is killed every five seconds', () => {
  it('run every job within minutes', async () => {
    const time = new SimulatedTime();
    gateway = await Gateway.start({ busyPolls: true, time });
    await gateway.createGroup('busy', { maxListeners: 3, evictionRetryDelay: '1s' });
    const replicas = [0, 1, 2].map((n) => gateway.startReplica(`r${n}`));
    const jobs: JobHandle[] = [];
    for (let kill = 0; kill < 18; kill++) {
      jobs.push(gateway.enqueue('busy'));
      await time.passSlowly(5_000);
      replicas[kill % 3]?.kill();
      replicas[kill % 3] = gateway.startReplica(`r${kill + 3}`);
    }
    const conclusions = () => jobs.map((job) => gateway.latest(job).conclusion);
    expect(conclusions().filter((conclusion) => conclusion === 'success').length).toBeGreaterThan(6);
    await time.until(() => expect(new Set(conclusions())).toEqual(new Set(['success'])), 5 * minute);
    expect(gateway.service.violations).toEqual([]);
    expect(gateway.service.verdict()).toMatchObject({ lost: 0, lockExpired: 0, runTwice: 0, neverRun: 0 });
  }, 120_000);
});
