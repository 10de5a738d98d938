import { expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import type { JobLock, LockReference } from '@interlock/broker';
import { jobSecrets } from '../job/job-secret.js';
import { JobStore } from '../job/store.js';
import { claimOf, group as runnerGroup, idleLock, lockParts, now } from '../job/testing/builders.js';
import { JobLocks } from '../lock/job-locks.js';
import { Adoption } from './adoption.js';
import { DeliveryNames } from './delivery-names.js';
import type { GroupWork } from './group-work.js';
import { LedGroups } from './led-groups.js';

it.each<[title: string, add: 'add' | 'addPredecessor']>([
  ['another led group', 'add'],
  ['a group that has lost its lease', 'addPredecessor'],
])('keeps the lock of a job of which %s has a delivery when a group is handed over', (_title, add) => {
  const locks = new JobLocks();
  const groups = new LedGroups();
  const lead = (group: string, jobs: string[], lists: 'add' | 'addPredecessor' = 'add'): Adoption => {
    const deliveries = new DeliveryNames();
    for (const name of jobs) {
      deliveries.set(`${group}-${name}`, name);
      locks.keep(name, [idleLock], lockParts());
    }
    const work = { name: group, holds: (name: string) => jobs.includes(name) } as unknown as GroupWork;
    groups[lists](group, work, () => true);
    return new Adoption({ group, locks, led: groups, deliveries } as unknown as ConstructorParameters<
      typeof Adoption
    >[0]);
  };
  lead('left', ['shared'], add);
  lead('right', ['shared', 'own']).abandon();
  expect(['shared', 'own'].map((name) => locks.has(name))).toEqual([true, false]);
});

/**
 * The adoption of the recorded job of a group.
 *
 * @param lockOf returns the lock with a token
 * @param failure returns why the Secret of the job cannot be read, if it cannot
 */
function createAdoption(
  lockOf: (token: string) => JobLock,
  groups = new LedGroups(),
  failure: () => Error | undefined = () => undefined,
) {
  const claim = claimOf();
  const [secret] = jobSecrets(runnerGroup, { ...claim, lock: { ...claim.lock, token: 'own' } }, now);
  const read = async () => {
    const error = failure();
    if (error !== undefined) throw error;
    return secret;
  };
  const clock = new FakeClock();
  const locks = new JobLocks();
  const deliveries = new DeliveryNames();
  const keep = (name: string, kept: JobLock[]): void => locks.keep(name, kept, lockParts(clock));
  const adoption = new Adoption({
    ...{ group: 'linux', namespace: 'team-a', led: groups, locks, log: silentLog, isReported: () => false },
    ...{ deliveries, keeping: { keep } },
    client: { list: async () => ({ items: [secret] }) },
    jobs: new JobStore({ get: read } as unknown as ConstructorParameters<typeof JobStore>[0]),
    source: { lock: ({ token }: LockReference) => lockOf(token) },
  } as unknown as ConstructorParameters<typeof Adoption>[0]);
  return { adoption, clock, locks, keep, deliveries };
}

it('renews the lock of an adopted job of which another led group has renewed only its own delivery', async () => {
  const renewed: string[] = [];
  const lockOf = (token: string): JobLock => ({
    ...idleLock,
    renew: () => new Promise<never>(() => renewed.push(token)),
  });
  const groups = new LedGroups();
  groups.add('other', { name: 'other', holds: () => true } as unknown as GroupWork, () => true);
  const { adoption, keep } = createAdoption(lockOf, groups);
  keep('job-plan-1', [lockOf('other')]);
  await adoption.adopt(AbortSignal.timeout(60_000));
  expect(renewed).toEqual(['other', 'own']);
});

it('lets the lock of an adopted job expire that it may not renew, so that the job does not keep its place', async () => {
  const { adoption, clock, locks } = createAdoption(() => {
    throw new TypedError('Permanent', 'the host of the lock is not allowed');
  });
  await adoption.adopt(AbortSignal.timeout(60_000));
  expect(locks.view('job-plan-1').lostAt).toBeUndefined();
  await clock.advance(16 * 60_000);
  expect(locks.view('job-plan-1')).toMatchObject({ isRenewed: false, lostAt: expect.any(Number) });
});

it('does not hold a job whose record is removed while it is adopted', async () => {
  const gone = new TypedError('NotFound', 'secrets "job-plan-1" not found');
  const { adoption, locks, deliveries } = createAdoption(
    () => idleLock,
    new LedGroups(),
    () => gone,
  );
  expect(await adoption.adopt(AbortSignal.timeout(60_000))).toEqual([]);
  expect([locks.size, deliveries.names().size]).toEqual([0, 0]);
});

it('renews the lock of a job as soon as the controller may read its Secret', async () => {
  const failures: (Error | undefined)[] = [new TypedError('Unauthorized', 'cannot get resource "secrets"')];
  const { adoption, locks } = createAdoption(
    () => idleLock,
    new LedGroups(),
    () => failures.shift(),
  );
  await expect(adoption.adopt(AbortSignal.timeout(60_000))).rejects.toThrow('cannot get resource');
  expect(await adoption.adopt(AbortSignal.timeout(60_000))).toHaveLength(1);
  expect(locks.isKept('job-plan-1')).toBe(true);
});
