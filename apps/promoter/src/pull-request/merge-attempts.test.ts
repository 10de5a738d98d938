import { describe, expect, it } from '@jest/globals';
import type { PullRequest } from '@interlock/api';
import { sha } from '../promotion/testing/builders.js';
import { pullRequest } from '../testing/objects.js';
import { pendingMerge, untilNextAttempt, type MergeAnswer } from './merge-attempts.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const answer: MergeAnswer = { sha: sha('a1'), state: 'Refused', reason: 'Blocked', message: 'not yet' };

describe('pendingMerge', () => {
  it('doubles the time between attempts, up to half an hour', () => {
    let pending = pendingMerge(undefined, answer, now);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 9; attempt++) {
      waits.push((Date.parse(pending.retryAt) - now) / 1000);
      pending = pendingMerge(pending, answer, now);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1800, 1800, 1800]);
  });

  it('counts attempts from one again for another commit, and when the SCM has queued the commit', () => {
    const twice = pendingMerge(pendingMerge(undefined, answer, now), answer, now);
    expect(twice.attempts).toBe(2);
    expect(pendingMerge(twice, { ...answer, sha: sha('a2') }, now).attempts).toBe(1);
    expect(pendingMerge(twice, { ...answer, state: 'Queued' }, now).attempts).toBe(1);
  });

  it('continues to count when a merge queue drops the pull request', () => {
    const inQueue = { ...answer, state: 'Queued', reason: 'InMergeQueue' } as const;
    const dropped = { ...answer, reason: 'Dequeued' };
    let pending = pendingMerge(undefined, inQueue, now);
    const waits: number[] = [];
    for (const next of [dropped, inQueue, dropped, inQueue, dropped]) {
      pending = pendingMerge(pending, next, now);
      waits.push((Date.parse(pending.retryAt) - now) / 1000);
    }
    expect(waits).toEqual([60, 120, 240, 480, 960]);
  });

  it('keeps the time of the first refusal while the reason is the same', () => {
    const first = pendingMerge(undefined, answer, now);
    expect(pendingMerge(first, answer, now + 60_000).since).toBe(first.since);
    const other = pendingMerge(first, { ...answer, reason: 'Behind' }, now + 60_000);
    expect(other).toMatchObject({ since: '2026-01-01T00:01:00Z', attempts: 2 });
  });
});

describe('untilNextAttempt', () => {
  const merging = (commit: string): PullRequest =>
    pullRequest({
      spec: { merge: { sha: commit, method: 'merge' } },
      status: { state: 'open', merge: pendingMerge(undefined, answer, now) },
    });

  it('is the remaining time for the refused commit', () => {
    expect(untilNextAttempt(merging(answer.sha), now + 10_000)).toBe(20_000);
    expect(untilNextAttempt(merging(answer.sha), now + 40_000)).toBe(0);
  });

  it('is zero for another commit', () => {
    expect(untilNextAttempt(merging(sha('a2')), now)).toBe(0);
  });
});
