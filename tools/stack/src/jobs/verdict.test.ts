import { describe, expect, it } from '@jest/globals';
import type { Verdict } from '@interlock/actions-service';
import { cancelledJob, evictedJob } from './plan.js';
import type { JobRow } from './table.js';
import { findJobProblems, verdictLine } from './verdict.js';

const good: Verdict = {
  ...{ jobs: 4, completed: 3, lost: 0, runTwice: 0, lockExpired: 0, cancelled: 1 },
  ...{ neverRun: 0, open: 0, violations: 0 },
};

const row = (name: string, outcome: string, retries = 0): JobRow => ({
  ...{ name, queued: 0, started: 1, ended: 2, pod: 'pod', retries, outcome },
});
const rows = [row(evictedJob, 'success', 1), row(cancelledJob, 'cancelled'), row('test', 'success')];

describe('verdictLine', () => {
  it('lists the counts that must be 0', () => {
    expect(verdictLine({ ...good, lost: 2 })).toBe(
      'The service counts 4 attempts of jobs: 3 completed, 1 cancelled on request; lost 2, run twice 0, cancelled by lock expiry 0.',
    );
  });
});

describe('findJobProblems', () => {
  it('returns no problem when every job has the expected conclusion', () => {
    expect(findJobProblems(rows, good, 3)).toEqual([]);
  });

  it.each<[title: string, verdict: Partial<Verdict>, problem: string]>([
    ['a job that was lost', { lost: 1 }, '1 attempts of jobs were lost'],
    ['a job that was run twice', { runTwice: 1 }, '1 attempts of jobs were run twice'],
    ['a lock that expired', { lockExpired: 2 }, '2 attempts of jobs were cancelled by lock expiry'],
    ['a job without a conclusion', { open: 1 }, '1 attempts of jobs have no conclusion'],
    ['a job that never ran', { neverRun: 1 }, '1 attempts of jobs were concluded but never ran'],
    [
      'a call that violates the protocol',
      { violations: 3 },
      'the service received 3 calls that a correct client never makes',
    ],
  ])('finds %s', (_, verdict, problem) => {
    expect(findJobProblems(rows, { ...good, ...verdict }, 3)).toEqual([problem]);
  });

  it.each<[title: string, rows: JobRow[], problem: string]>([
    ['a job that is not recorded', rows.slice(0, 2), '2 of 3 jobs are recorded'],
    [
      'a job that failed',
      [...rows.slice(0, 2), row('test', 'failure')],
      'test ended with failure, not success',
    ],
    [
      'a cancellation without effect',
      [row(evictedJob, 'success', 1), row(cancelledJob, 'success'), row('test', 'success')],
      `${cancelledJob} ended with success, not cancelled`,
    ],
    [
      'an eviction after which the job was not run again',
      [row(evictedJob, 'success'), ...rows.slice(1)],
      `the evicted job ${evictedJob} was not run again`,
    ],
  ])('finds %s', (_, found, problem) => {
    expect(findJobProblems(found, good, 3)).toEqual([problem]);
  });
});
