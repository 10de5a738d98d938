import type { Verdict } from '@interlock/actions-service';
import { cancelledJob, evictedJob } from './plan.js';
import type { JobRow } from './table.js';

/** Counts that are 0 with a correct gateway. */
const faults = [
  ['lost', 'lost'],
  ['runTwice', 'run twice'],
  ['lockExpired', 'cancelled by lock expiry'],
] as const satisfies readonly (readonly [keyof Verdict, string])[];

/** Returns the counts of the service as one line. Pure. */
export function verdictLine(verdict: Verdict): string {
  const { jobs, completed, cancelled } = verdict;
  const counts = faults.map(([key, text]) => `${text} ${verdict[key]}`).join(', ');
  return `The service counts ${jobs} attempts of jobs: ${completed} completed, ${cancelled} cancelled on request; ${counts}.`;
}

/** Returns the expected conclusion of a job of the scenario. */
export function expectedOutcome(name: string): 'success' | 'cancelled' {
  return name === cancelledJob ? 'cancelled' : 'success';
}

/** Returns the problems at the end, one sentence each. Pure. @param planned how many jobs were queued */
export function findJobProblems(rows: readonly JobRow[], verdict: Verdict, planned: number): string[] {
  const { open, neverRun, violations } = verdict;
  const counted = faults.flatMap(([key, text]) =>
    verdict[key] === 0 ? [] : [`${verdict[key]} attempts of jobs were ${text}`],
  );
  const evicted = rows.find(({ name }) => name === evictedJob);
  return [
    ...counted,
    ...(rows.length === planned ? [] : [`${rows.length} of ${planned} jobs are recorded`]),
    ...(open === 0 ? [] : [`${open} attempts of jobs have no conclusion`]),
    ...(neverRun === 0 ? [] : [`${neverRun} attempts of jobs were concluded but never ran`]),
    ...(violations === 0
      ? []
      : [`the service received ${violations} calls that a correct client never makes`]),
    ...(evicted !== undefined && evicted.retries === 0
      ? [`the evicted job ${evictedJob} was not run again`]
      : []),
    ...rows
      .filter(({ name, outcome }) => outcome !== expectedOutcome(name))
      .map(({ name, outcome }) => `${name} ended with ${outcome}, not ${expectedOutcome(name)}`),
  ];
}
