import { describe, expect, it } from '@jest/globals';
import { cancelledJob, evictedJob, plannedJobs } from './plan.js';
import { progressLine } from './progress.js';

describe('plannedJobs', () => {
  it('returns 40 jobs of different durations with unique names', () => {
    const names = plannedJobs.map(({ name }) => name);
    expect(new Set(names).size).toBe(40);
    expect(names).toEqual(expect.arrayContaining([evictedJob, cancelledJob]));
    const durations = plannedJobs.map(({ durationMs }) => durationMs);
    expect([Math.min(...durations), Math.max(...durations)]).toEqual([500, 8_000]);
  });
});

describe('progressLine', () => {
  it('counts the jobs of each group by the status of their last attempt', () => {
    const planned = [
      { name: 'a', group: 'linux' },
      { name: 'b', group: 'linux' },
      { name: 'c', group: 'large' },
    ] as const;
    const jobs = [
      { name: 'a', status: 'completed' },
      { name: 'b', status: 'in_progress' },
      { name: 'c', status: 'completed' },
      { name: 'a', status: 'queued' },
    ] as const;
    expect(progressLine(planned, jobs)).toBe(
      'linux: 1 queued, 1 running, 0 ended   large: 0 queued, 0 running, 1 ended',
    );
  });
});
