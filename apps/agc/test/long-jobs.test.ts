import { afterEach, describe, expect, it } from '@jest/globals';
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
      expect(tookMs).toBeLessThanOrEqual(20_000);
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
