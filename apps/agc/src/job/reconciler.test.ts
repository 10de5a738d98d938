import { expect, it } from '@jest/globals';
import { keyOf, TypedError } from '@interlock/api';
import { Failure, Pod, Secret, type Reconciler } from '@interlock/kube';
import { MemoryCache } from '@interlock/kube/testing';
import type { AgcContext } from '../context.js';
import { LedGroups } from '../group/led-groups.js';
import { Places } from '../group/places.js';
import { JobLocks } from '../lock/job-locks.js';
import type { JobDecision } from './decide.js';
import { EndedPods } from './ended-pods.js';
import { FailingJobs } from './failing-jobs.js';
import type { ObservedJob } from './observed.js';
import type { JobOutcome } from './outcome.js';
import { addJobReconciler } from './reconciler.js';
import { jobSecrets } from './job-secret.js';
import { claimOf, group, now, observedJob } from './testing/builders.js';

type JobReconciler = Reconciler<Secret, ObservedJob, JobDecision, JobOutcome>;

it.each([
  ['reports a step that fails while its job is recorded', false, 'timeout'],
  ['does not report a step that fails after its job was removed', true, undefined],
])('a RunnerGroup %s', (_title, isRemoved, cause) => {
  const [secret] = jobSecrets(group, claimOf(), now);
  const jobs = new MemoryCache(Secret, secret!);
  const failing = new FailingJobs();
  let concluded: JobReconciler['concluded'];
  addJobReconciler({
    ...{ namespace: 'team-a', failing, groups: new LedGroups(), locks: new JobLocks() },
    ...{ places: new Places(), endedPods: new EndedPods(), events: { record: () => undefined } },
    caches: { jobs, pods: new MemoryCache(Pod) },
    manager: { addReconciler: (reconciler: JobReconciler) => void ({ concluded } = reconciler) },
  } as unknown as AgcContext);
  if (isRemoved) jobs.remove(keyOf(secret!));
  const outcome = new Failure(new TypedError('Transient', 'timeout'), true);
  const step = { object: secret!, stored: secret!, decision: { type: 'create' } as const, outcome, now };
  concluded?.({ ...step, observed: observedJob() });
  expect(failing.causeIn(group.metadata.name)).toBe(cause);
});
