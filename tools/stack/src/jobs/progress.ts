import type { JobHandle } from '@interlock/actions-service';
import type { PlannedJob } from './plan.js';

/** Returns the progress of the jobs as one line: how many of each group wait, run and have ended. Pure. */
export function progressLine(
  planned: readonly Pick<PlannedJob, 'name' | 'group'>[],
  jobs: readonly Pick<JobHandle, 'name' | 'status'>[],
): string {
  const groups = [...new Set(planned.map(({ group }) => group))];
  const statusOf = new Map<string, JobHandle['status']>();
  /* Later attempts of a job overwrite earlier ones. */
  for (const { name, status } of jobs) statusOf.set(name, status);
  return groups
    .map((group) => {
      const statuses = planned.filter((job) => job.group === group).map(({ name }) => statusOf.get(name));
      const count = (status: JobHandle['status']): number => statuses.filter((one) => one === status).length;
      return `${group}: ${count('queued')} queued, ${count('in_progress')} running, ${count('completed')} ended`;
    })
    .join('   ');
}
