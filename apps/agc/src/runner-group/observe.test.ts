import { expect, it } from '@jest/globals';
import { runnerLabels } from '@interlock/api';
import { FakeClock } from '@interlock/base/testing';
import { silentLog } from '@interlock/base';
import { Later, type Pod } from '@interlock/kube';
import type { AgcContext } from '../context.js';
import { group } from '../job/testing/builders.js';
import { JobLocks } from '../lock/job-locks.js';
import { observeGroup } from './observe.js';

it('knows the job of a pod by its lock before the record of the job is in the cache', () => {
  const clock = new FakeClock();
  const locks = new JobLocks();
  const lock = { renew: () => new Promise<never>(() => undefined), complete: () => Promise.reject() };
  const parts = { clock, random: () => 0, log: silentLog, onRenewed: () => undefined };
  locks.keep('job-plan-1', [lock], { ...parts, onFailed: () => undefined });
  const labels = { [runnerLabels.runnerGroup]: 'linux', [runnerLabels.planId]: 'plan-1' };
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'runner-linux-plan-1', labels } };
  const context = {
    locks,
    caches: {
      pods: { byIndex: () => [pod] },
      jobs: { byIndex: () => [] },
      quotas: { list: () => [] },
    },
    groups: { get: () => ({ source: { sessions: 1 }, isAdopted: true }) },
  } as unknown as AgcContext;
  const hasJob = (): (boolean | undefined)[] => {
    const observed = observeGroup(context, group, clock.now());
    return observed instanceof Later || !('pods' in observed) ? [] : observed.pods.map((one) => one.hasJob);
  };
  expect(hasJob()).toEqual([true]);
  locks.markLost('job-plan-1');
  expect(hasJob()).toEqual([false]);
});
