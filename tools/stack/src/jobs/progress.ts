import type { JobHandle } from '@interlock/actions-service';
import type { PlannedJob } from './plan.js';

/** Returns how far the jobs are, as one line: those of each group that wait, run and have ended. Pure. */
export function progressLine(
  planned: readonly Pick<PlannedJob, 'name' | 'group'>[],
  jobs: readonly Pick<JobHandle, 'name' | 'status'>[],
): string {
  const groups = [...new Set(planned.map(({ group }) => group))];
  const statusOf = new Map<string, JobHandle['status']>();
  /* The last attempt of a job comes last. */
  for (const { name, status } of jobs) statusOf.set(name, status);
  return groups
    .map((group) => {
      const statuses = planned.filter((job) => job.group === group).map(({ name }) => statusOf.get(name));
      const count = (status: JobHandle['status']): number => statuses.filter((one) => one === status).length;
      return `${group}: ${count('queued')} queued, ${count('in_progress')} run, ${count('completed')} ended`;
    })
    .join('   ');
}
