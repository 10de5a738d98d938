import { expect, it } from '@jest/globals';
import { silentLog } from '@interlock/base';
import { FakeClock } from '@interlock/base/testing';
import { JobLocks } from '../lock/job-locks.js';
import { Adoption } from './adoption.js';
import { DeliveryNames } from './delivery-names.js';
import type { GroupWork } from './group-work.js';
import { LedGroups } from './led-groups.js';

it('keeps the lock of a job of which another led group has a delivery when a group is handed over', () => {
  const locks = new JobLocks();
  const groups = new LedGroups();
  const lock = { renew: () => new Promise<never>(() => undefined), complete: () => Promise.reject() };
  const parts = { clock: new FakeClock(), random: () => 0, log: silentLog, onRenewed: () => undefined };
  const lead = (group: string, jobs: string[]): Adoption => {
    const deliveries = new DeliveryNames();
    for (const name of jobs) {
      deliveries.set(`${group}-${name}`, name);
      locks.keep(name, [lock], { ...parts, onFailed: () => undefined });
    }
    groups.add(group, { name: group, holds: (name: string) => jobs.includes(name) } as unknown as GroupWork);
    return new Adoption({ group, locks, groups, deliveries } as unknown as ConstructorParameters<
      typeof Adoption
    >[0]);
  };
  lead('left', ['shared']);
  lead('right', ['shared', 'own']).abandon();
  expect(['shared', 'own'].map((name) => locks.has(name))).toEqual([true, false]);
});
