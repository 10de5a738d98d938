import { describe, expect, it } from '@jest/globals';
import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import type { JobKey, JobSource, SourceEvent } from '@interlock/broker';
import { DeliveryNames } from './delivery-names.js';
import { GroupWork, type Capacity } from './group-work.js';

/** Returns the work of a group that was offered one job, whose claim ends when the test requests it. */
async function claimingWork(shortage?: Capacity['shortage'], isRepeated = false) {
  const clock = new FakeClock();
  const steps: string[] = [];
  const claims: AbortSignal[] = [];
  let endClaim: () => void = () => undefined;
  let underWay = 1;
  const claimed = new Promise<void>((resolve) => (endClaim = resolve)).then(() => void (underWay = 0));
  let endEvents: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (endEvents = resolve));
  let noteClaim: () => void = () => undefined;
  const isClaimed = new Promise<void>((resolve) => (noteClaim = resolve));
  const source: Pick<JobSource, 'open' | 'events' | 'close' | 'setCapacity'> = {
    setCapacity: (total) => void steps.push(`has room for ${total} jobs`),
    open: () => Promise.resolve(),
    async *events(): AsyncGenerator<SourceEvent> {
      yield { type: 'offered', key: 'job' as JobKey, isRepeated };
      await closed;
    },
    close(mode) {
      steps.push(`closes the source: ${mode}`);
      endEvents();
      return Promise.resolve({ pinned: 0 });
    },
  };
  const work = new GroupWork({
    group: 'linux',
    source: source as JobSource,
    adoption: {
      adopt: () => Promise.resolve([]),
      adoptLate: () => Promise.resolve(),
      abandon: () => undefined,
    },
    claims: {
      take(_key: JobKey, signal: AbortSignal) {
        claims.push(signal);
        noteClaim();
      },
      decline() {
        steps.push('declines the job');
        noteClaim();
      },
      leave: () => undefined,
      unobserved: () => 0,
      cancel: () => Promise.resolve(),
      end: () => Promise.resolve(),
      get underWay() {
        return underWay;
      },
      settled: () => claimed.then(() => void steps.push('has finished the claim')),
    },
    deliveries: new DeliveryNames(),
    shortage: () => shortage,
    ...{
      clock,
      log: silentLog,
      random: () => 0.5,
      metrics: { count: () => undefined },
      onChange: () => undefined,
    },
  });
  const [stop, lost] = [new AbortController(), new AbortController()];
  const running = work.run(stop.signal, lost.signal);
  await isClaimed;
  return { work, clock, steps, claims, endClaim, stop, lost, running };
}

describe('the work of a group that is being deleted', () => {
  it('no longer polls, and is continued until the group is deleted', async () => {
    const { work, endClaim, stop, running } = await claimingWork();
    endClaim();
    await new Promise(setImmediate);
    expect(work.isClosed).toBe(false);
    await work.retire(new AbortController().signal);
    expect(work.isClosed).toBe(true);
    stop.abort();
    await expect(running).resolves.toBeUndefined();
  });
});

describe('the work of a group that is asked to stop', () => {
  it('finishes the claim in progress before it hands over', async () => {
    const { steps, claims, endClaim, stop, running } = await claimingWork();
    stop.abort();
    await new Promise(setImmediate);
    expect(claims.map(({ aborted }) => aborted)).toEqual([false]);
    expect(steps).toEqual([]);
    endClaim();
    await running;
    expect(steps[0]).toBe('has finished the claim');
    expect(steps).toContain('closes the source: handOver');
  });

  it('gives up a claim that takes too long', async () => {
    const { clock, claims, endClaim, stop, running } = await claimingWork();
    stop.abort();
    await clock.advance(7_999);
    expect(claims[0]?.aborted).toBe(false);
    await clock.advance(1);
    expect(claims[0]?.aborted).toBe(true);
    endClaim();
    await running;
  });

  it('gives up a claim immediately when another replica may lead', async () => {
    const { claims, endClaim, lost, running } = await claimingWork();
    lost.abort();
    expect(claims[0]?.aborted).toBe(true);
    endClaim();
    await running;
  });
});

it.each([
  ['declines an offered job for which another group has taken the room', false, 0],
  ['repeats the claim of an earlier process although there is no room', true, 1],
])('%s', async (_title, isRepeated, count) => {
  const shortage = { reason: 'quota', message: 'exceeded quota' } as const;
  const { steps, claims, endClaim, stop, running } = await claimingWork(shortage, isRepeated);
  expect(claims).toHaveLength(count);
  expect(steps).toEqual(isRepeated ? [] : ['has room for 0 jobs', 'declines the job']);
  endClaim();
  stop.abort();
  await running;
});

it('removes the runners of a group that is being deleted only when no claim is in progress', async () => {
  const { work, steps, endClaim, stop, running } = await claimingWork();
  const { signal } = new AbortController();
  expect(await work.retire(signal)).toEqual({ pinned: 1 });
  expect(steps).toEqual([]);
  endClaim();
  await new Promise(setImmediate);
  expect(await work.retire(signal)).toEqual({ pinned: 0 });
  expect(steps).toContain('closes the source: retire');
  stop.abort();
  await running;
});

it('holds the jobs of its predecessor until it has adopted the recorded jobs', () => {
  const create = (deliveries: DeliveryNames, predecessor?: GroupWork): GroupWork =>
    new GroupWork({
      ...{ group: 'linux', deliveries, predecessor, adoption: { abandon: () => undefined } },
    } as unknown as ConstructorParameters<typeof GroupWork>[0]);
  const deliveries = new DeliveryNames();
  deliveries.set('request-2', 'job-plan-1');
  const work = create(new DeliveryNames(), create(deliveries));
  expect(work.holds('job-plan-1')).toBe(true);
  work.abandon();
  expect(work.holds('job-plan-1')).toBe(false);
});
