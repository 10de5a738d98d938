import { expect, it } from '@jest/globals';
import { FakeClock } from '@interlock/base/testing';
import type { LockReference } from '@interlock/broker';
import type { Kind, ObjectKey } from '@interlock/api';
import { ApiError, Pod, Secret, type Client } from '@interlock/kube';
import { trace } from '@opentelemetry/api';
import type { AgcContext } from '../context.js';
import { EndedJobs } from '../group/ended-jobs.js';
import { Places } from '../group/places.js';
import { ScaleUp } from '../group/scale-up.js';
import { JobLocks } from '../lock/job-locks.js';
import { actOnJob } from './act.js';
import { decideJob } from './decide.js';
import { jobSecrets } from './job-secret.js';
import { viewPod } from './pod-view.js';
import { JobStore, recordOf } from './store.js';
import {
  claimOf,
  ended as podEnd,
  group,
  lockParts,
  now,
  observedJob,
  pod,
  worker,
} from './testing/builders.js';
import { MemoryClient } from './testing/memory-client.js';

/** Acts on three jobs that have observed the same free place, and returns the outcomes and the classes of the pods. */
async function createTogether(changes: Partial<typeof group.spec>) {
  const memory = new MemoryClient();
  const context = {
    ...{ namespace: 'team-a', places: new Places(), scaleUp: new ScaleUp() },
    ...{ jobs: new JobStore(memory.client), tracer: trace.getTracer('test') },
    caches: { pods: { byIndex: () => [] } },
    manager: { client: memory.client, clock: { now: () => now, monotonic: () => now } },
    worker,
  } as unknown as AgcContext;
  const step = { signal: AbortSignal.timeout(60_000), now };
  const outcomes = await Promise.all(
    [1, 2, 3].map((n) => {
      const observed = observedJob({
        group: { ...group, spec: { ...group.spec, ...changes } },
        record: { planId: `plan-${n}` },
      });
      const metadata = { ...observed.secret.metadata, name: `job-plan-${n}` };
      observed.secret = memory.put(Secret, { ...observed.secret, metadata }) as Secret;
      return actOnJob(context, { type: 'create' }, observed, step);
    }),
  );
  const pods = [1, 2, 3].map((n) =>
    memory.read(Pod, { name: `runner-linux-plan-${n}`, namespace: 'team-a' }),
  );
  const classes = pods.map((pod) => pod && (pod.spec?.priorityClassName ?? 'none'));
  return { outcomes: outcomes.map(({ type }) => type), classes };
}

it.each<[title: string, spec: Partial<typeof group.spec>]>([
  ['the worker limit', { maxWorkers: 1 }],
  ['the scale-up', { scaleUp: { maxPerSecond: 1 } }],
])('creates one pod when three jobs have observed the last place below %s', async (_title, spec) => {
  const { outcomes, classes } = await createTogether(spec);
  expect(outcomes).toEqual(['created', 'crowdedOut', 'crowdedOut']);
  expect(classes).toEqual(['none', undefined, undefined]);
});

it('gives the pods of jobs that start together the classes of successive tiers', async () => {
  const tier = (priorityClassName: string, threshold: number) => ({ priorityClassName, threshold });
  const { classes } = await createTogether({ priorityTiers: [tier('critical', 1), tier('standard', 3)] });
  expect(classes).toEqual(['critical', 'standard', 'standard']);
});

it('renews the lock of a delivery that another replica has added to a job', async () => {
  const memory = new MemoryClient();
  const clock = new FakeClock();
  const signal = AbortSignal.timeout(60_000);
  for (const secret of jobSecrets(group, claimOf(), now)) memory.put(Secret, secret);
  const renewed: string[] = [];
  const lock = ({ jobId }: LockReference) => ({
    renew: async () => {
      renewed.push(jobId);
      return { lockedUntil: clock.now() + 600_000 };
    },
    complete: () => Promise.reject(),
  });
  const locks = new JobLocks();
  locks.keep('job-plan-1', [lock(claimOf().lock)], lockParts(clock));
  const jobs = new JobStore(memory.client);
  const key = { name: 'job-plan-1', namespace: 'team-a' };
  await jobs.addSibling(key, claimOf('request-2'), signal);
  const secret = memory.read(Secret, key)!;
  const observed = { ...observedJob(), secret, record: recordOf(secret)! };
  const context = { jobs, locks, groups: { get: () => ({ source: { lock } }) } } as unknown as AgcContext;
  for (let times = 0; times < 2; times++)
    await actOnJob(context, { type: 'wait', for: 'worker' }, observed, { signal, now });
  await clock.advance(60_000);
  expect(renewed.sort()).toEqual(['request-1', 'request-1', 'request-2']);
  locks.drop('job-plan-1');
});

it('removes the record of an ended job that another replica records again, without renewing its lock', async () => {
  const memory = new MemoryClient();
  const observed = observedJob();
  const secret = memory.put(Secret, observed.secret) as Secret;
  const ended = new EndedJobs();
  ended.add(observed.record.planId, 'failed');
  const context = {
    ...{ jobs: new JobStore(memory.client), locks: new JobLocks(), ended },
    groups: { get: () => ({ isAdopted: true, adoptLate: () => Promise.reject(new Error('adopted')) }) },
  } as unknown as AgcContext;
  const step = { signal: AbortSignal.timeout(60_000), now };
  await actOnJob(context, { type: 'wait', for: 'lock' }, { ...observed, secret }, step);
  expect(memory.read(Secret, { name: secret.metadata.name, namespace: 'team-a' })).toBeUndefined();
});

it('deletes the pod of an ended job whose lost runner is started again', async () => {
  const memory = new MemoryClient();
  const view = { ...pod, runsAgain: true, end: { ...podEnd, disruption: 'nodeLost' } } as const;
  const observed = observedJob({ pod: view, record: { phase: 'Running' } });
  const secret = memory.put(Secret, observed.secret) as Secret;
  const key = { name: pod.name, namespace: 'team-a' };
  memory.put(Pod, { apiVersion: 'v1', kind: 'Pod', metadata: { ...key, uid: pod.uid } });
  const context = {
    ...{ namespace: 'team-a', jobs: new JobStore(memory.client), ended: new EndedJobs() },
    ...{ tracer: trace.getTracer('test'), manager: { client: memory.client } },
    groups: { get: () => undefined },
  } as unknown as AgcContext;
  const decision = decideJob({ ...observed, secret }, now);
  expect(decision).toMatchObject({ type: 'conclude', end: { ending: 'disrupted' } });
  const step = { signal: AbortSignal.timeout(60_000), now };
  await actOnJob(context, decision, { ...observed, secret }, step);
  expect(recordOf(memory.read(Secret, { ...key, name: secret.metadata.name })!)?.end?.ending).toBe(
    'disrupted',
  );
  expect(memory.read(Pod, key)?.metadata.deletionTimestamp).toBeDefined();
});

it('deletes the pod of a cancelled job although an admission policy refuses each change of the pod', async () => {
  const memory = new MemoryClient();
  const observed = observedJob({ pod, record: { phase: 'PodCreated', cancelledAt: now } });
  const secret = memory.put(Secret, observed.secret) as Secret;
  const key = { name: pod.name, namespace: 'team-a' };
  memory.put(Pod, { apiVersion: 'v1', kind: 'Pod', metadata: { ...key, uid: pod.uid } });
  const patch = async (kind: Kind, name: ObjectKey, change: never): Promise<unknown> => {
    if (kind !== Pod) return memory.client.patch(kind, name, change);
    const line = { method: 'PATCH', path: '/' };
    throw new ApiError('Unauthorized', 'denied the request', { ...line, code: 403, reason: 'Forbidden' });
  };
  const client = { ...memory.client, patch } as unknown as Client;
  const context = {
    ...{ namespace: 'team-a', jobs: new JobStore(client), manager: { client } },
  } as unknown as AgcContext;
  const step = { signal: AbortSignal.timeout(60_000), now };
  await actOnJob(context, decideJob(observed, now), { ...observed, secret }, step);
  const stored = memory.read(Pod, key)!;
  expect(stored.metadata.deletionTimestamp).toBeDefined();
  const record = recordOf(memory.read(Secret, { ...key, name: secret.metadata.name })!)!;
  stored.metadata.deletionTimestamp = new Date(now).toISOString();
  const view = viewPod(stored, now, record.stop);
  expect(decideJob({ ...observed, record, pod: view }, now)).toMatchObject({ for: 'workerEnd' });
});
