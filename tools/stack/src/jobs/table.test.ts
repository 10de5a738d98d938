import { describe, expect, it } from '@jest/globals';
import { jobRows, tableLines, type JobRecords, type JobRow } from './table.js';

type Attempt = JobRecords['jobs'][number];

const startedAt = 1_000_000;
const attempt = (id: string, changes: Partial<Attempt> = {}): Attempt => ({
  ...{ id, runId: `run-${id}`, attempt: 1, name: `job-${id}`, planId: `plan-${id}` },
  ...{ status: 'completed', conclusion: 'success' },
  ...changes,
});
const event = (type: JobRecords['events'][number]['type'], job: string, seconds: number) => ({
  ...{ type, job, at: startedAt + seconds * 1000 },
});
const rowsOf = (records: Partial<JobRecords>): JobRow[] =>
  jobRows({ jobs: [], events: [], pods: new Map(), startedAt, ...records });

describe('jobRows', () => {
  it.each<[title: string, records: Partial<JobRecords>, expected: Partial<JobRow>]>([
    [
      'returns the times of a job in seconds since the start',
      {
        jobs: [attempt('1')],
        events: [
          event('job-queued', '1', 0),
          event('job-queued', '2', 5),
          event('job-started', '1', 1.5),
          event('job-completed', '1', 3.25),
        ],
        pods: new Map([['plan-1', ['pod-1']]]),
      },
      { name: 'job-1', queued: 0, started: 1.5, ended: 3.25, pod: 'pod-1', retries: 0, outcome: 'success' },
    ],
    [
      'returns the first queue time and the last start time of a job whose run was run again',
      {
        jobs: [
          attempt('2', { runId: 'r', attempt: 2 }),
          attempt('1', { runId: 'r', attempt: 1, conclusion: 'cancelled' }),
        ],
        events: [
          event('job-queued', '1', 0),
          event('job-started', '1', 1),
          event('job-completed', '1', 2),
          event('job-queued', '2', 3),
          event('job-started', '2', 4),
          event('job-completed', '2', 5),
        ],
        pods: new Map([
          ['plan-1', ['pod-1']],
          ['plan-2', ['pod-2']],
        ]),
      },
      { name: 'job-2', queued: 0, started: 4, ended: 5, pod: 'pod-2', retries: 1, outcome: 'success' },
    ],
    [
      'counts pods that replaced another one',
      { jobs: [attempt('1')], pods: new Map([['plan-1', ['pod-1', 'pod-1-1', 'pod-1-2']]]) },
      { pod: 'pod-1-2', retries: 2 },
    ],
    [
      'returns the status of a job that has not ended',
      {
        jobs: [attempt('1', { status: 'queued', conclusion: undefined })],
        events: [event('job-queued', '1', 0)],
      },
      { queued: 0, started: undefined, ended: undefined, pod: undefined, outcome: 'queued' },
    ],
  ])('%s', (_, records, expected) => {
    expect(rowsOf(records)).toEqual([expect.objectContaining(expected)]);
  });

  it('returns the jobs in the order in which they were queued', () => {
    const jobs = [attempt('1'), attempt('2'), attempt('3', { runId: 'run-1', attempt: 2, name: 'job-1' })];
    expect(rowsOf({ jobs }).map(({ name }) => name)).toEqual(['job-1', 'job-2']);
  });
});

describe('tableLines', () => {
  const ended: JobRow = {
    ...{ name: 'integration', queued: 0, started: 12.34, ended: 20, pod: 'runner-linux-1' },
    ...{ retries: 1, outcome: 'success' },
  };
  const waiting: JobRow = {
    ...{ name: 'test', queued: 0.06, started: undefined, ended: undefined, pod: undefined },
    ...{ retries: 0, outcome: 'queued' },
  };

  it('aligns columns, with numbers to the right', () => {
    expect(tableLines([ended, waiting])).toEqual([
      'job          queued  started  ended  pod             retries  outcome',
      'integration     0.0     12.3   20.0  runner-linux-1        1  success',
      'test            0.1        -      -  -                     0  queued',
    ]);
  });

  it('returns only the titles if there are no jobs', () => {
    expect(tableLines([])).toEqual(['job  queued  started  ended  pod  retries  outcome']);
  });
});
