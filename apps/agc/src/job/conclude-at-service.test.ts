import { expect, it } from '@jest/globals';
import { TypedError } from '@interlock/api';
import { silentLog } from '@interlock/base';
import type { JobConclusion, LockReference } from '@interlock/broker';
import { Secret } from '@interlock/kube';
import type { AgcContext } from '../context.js';
import { EndedJobs } from '../group/ended-jobs.js';
import { JobLocks } from '../lock/job-locks.js';
import type { ScheduledRerun } from '../rerun/store.js';
import { concludeAtService } from './conclude-at-service.js';
import { jobSecrets } from './job-secret.js';
import { JobStore, recordOf } from './store.js';
import { claimOf, group, now, observedJob } from './testing/builders.js';
import { MemoryClient } from './testing/memory-client.js';

const key = { name: 'job-plan-1', namespace: 'team-a' };
const signal = AbortSignal.timeout(60_000);
const run = { repository: 'acme/web', runId: '1' };

/** A recorded job, and the steps that its end takes outside of the record. `complete` is called at each conclusion. */
function recordedJob(complete: (lock: LockReference) => Promise<void> = () => Promise.resolve()) {
  const memory = new MemoryClient();
  const steps: string[] = [];
  for (const secret of jobSecrets(group, claimOf('request-1', { run }), now)) memory.put(Secret, secret);
  const source = {
    lock: (lock: LockReference) => ({
      async complete(conclusion: JobConclusion) {
        steps.push(`${lock.jobId}: ${conclusion}`);
        await complete(lock);
      },
    }),
  };
  const jobs = new JobStore(memory.client);
  const context = {
    ...{ namespace: key.namespace, jobs, locks: new JobLocks(), ended: new EndedJobs() },
    groups: { get: () => ({ source, log: silentLog, release: () => Promise.resolve() }) },
    manager: { clock: { now: () => now } },
    reruns: {
      schedule: async (_group: unknown, { cause }: ScheduledRerun) => void steps.push(`rerun: ${cause}`),
    },
  } as unknown as AgcContext;
  const conclude = (at = now) => {
    const secret = memory.read(Secret, key)!;
    const observed = { ...observedJob(), secret, record: recordOf(secret)! };
    const end = { ending: 'disrupted', disruption: 'eviction', at } as const;
    return concludeAtService(context, observed, end, signal);
  };
  return { memory, jobs, steps, conclude };
}

it('requests the rerun of a run before the conclusion that ends the run', async () => {
  const { steps, conclude } = recordedJob();
  await conclude();
  expect(steps).toEqual(['rerun: eviction', 'request-1: failed']);
});

it('requests the rerun of a job as one that was not started when the service refuses its failure', async () => {
  const { steps, conclude } = recordedJob(() => Promise.reject(new TypedError('Unauthorized', 'HTTP 401')));
  await conclude();
  expect(steps).toEqual(['rerun: eviction', 'request-1: failed', 'rerun: abandoned']);
});

it('requests the rerun of a job that the service has ended meanwhile as one that GitHub shows as cancelled', async () => {
  const { steps, conclude } = recordedJob();
  await conclude(now - 21 * 60_000);
  expect(steps).toEqual(['rerun: abandoned']);
});

it('concludes a delivery that is added while the job is concluded', async () => {
  let isAdded = false;
  const { memory, jobs, steps, conclude } = recordedJob(async () => {
    if (!isAdded) await jobs.addSibling(key, claimOf('request-2'), signal);
    isAdded = true;
  });
  await expect(conclude()).rejects.toMatchObject({ type: 'Transient' });
  await conclude();
  expect(steps).toContain('request-2: failed');
  expect(memory.read(Secret, key)).toBeUndefined();
});

it('removes a record whose lock is recorded as renewed at the same time', async () => {
  const { memory, conclude } = recordedJob();
  let reads = 0;
  memory.before = () => {
    /* Between the last read of the record and its removal. */
    if (++reads === 3) memory.put(Secret, memory.read(Secret, key)!);
  };
  await conclude();
  expect(memory.read(Secret, key)).toBeUndefined();
});
