import { describe, expect, it } from '@jest/globals';
import type { JobSource, SourceHealth } from '@interlock/broker';
import type { GroupWork } from './group-work.js';
import { pollChecks } from './poll-checks.js';

const minute = 60_000;
const watchdogMs = 10 * minute;

/** Returns the checks of a replica that leads one group whose last poll was answered some time ago. */
function checksAfter(ageMs: number, isClosed: boolean, state: SourceHealth['state'] = 'polling') {
  const source = { lastPollAt: -ageMs } as JobSource;
  const work = { name: 'linux', isClosed, source, health: { state, since: 0 } } as GroupWork;
  const clock = { monotonic: () => 0 };
  const { ready, alive } = pollChecks({ list: () => [work] }, clock, watchdogMs);
  return [ready(), alive()];
}

describe('pollChecks', () => {
  it.each([
    ['whose polls are answered', minute, false, [true, true]],
    ['whose polls are late', 4 * minute, false, [expect.stringContaining('not answered'), true]],
    [
      'whose polls are too late',
      11 * minute,
      false,
      [expect.stringContaining('not answered'), expect.stringContaining('--poll-watchdog')],
    ],
    ['whose runners are being removed, so that it no longer polls', 11 * minute, true, [true, true]],
  ])('judges a group %s', (_, ageMs, isClosed, expected) => {
    expect(checksAfter(ageMs, isClosed)).toEqual(expected);
  });
  it('does not take a group whose calls are limited by their rate for one that hangs', () => {
    const [ready, alive] = checksAfter(11 * minute, false, 'rateLimited');
    expect([ready, alive]).toEqual([expect.stringContaining('not answered'), true]);
  });
});
