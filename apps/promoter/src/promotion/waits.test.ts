import { describe, expect, it } from '@jest/globals';
import type { Check, Condition, ProposedCommit } from '@interlock/api';
import { proposedCommit } from '../testing/objects.js';
import { oldestWaits } from './waits.js';

const now = Date.parse('2026-01-01T12:00:00Z');

function proposed(
  checks: readonly Pick<Check, 'name' | 'state' | 'since'>[],
  promoted: Condition['status'] = 'False',
): ProposedCommit {
  const condition = {
    type: 'Promoted',
    status: promoted,
    reason: 'Missing',
    message: '',
    lastTransitionTime: '',
  };
  return proposedCommit({
    status: {
      checks: checks.map((check) => ({ ...check, reason: 'R', message: '' })),
      conditions: [condition],
    },
  });
}

const at = (minutes: number): string => new Date(now - minutes * 60_000).toISOString();

describe('oldestWaits', () => {
  it('is zero for each class when no promotion waits', () => {
    expect(Object.fromEntries(oldestWaits([], now))).toEqual({
      Forward: 0,
      Order: 0,
      Healthy: 0,
      NotHeld: 0,
      CommitStatus: 0,
      Merge: 0,
    });
  });

  it('is the longest time of a class over all proposed commits, and counts all keys as one', () => {
    const oldest = oldestWaits(
      [
        proposed([
          { name: 'Order', state: 'pending', since: at(10) },
          { name: 'lint', state: 'pending', since: at(90) },
        ]),
        proposed([
          { name: 'Order', state: 'pending', since: at(20) },
          { name: 'scan', state: 'failure', since: at(30) },
        ]),
      ],
      now,
    );
    expect([oldest.get('Order'), oldest.get('CommitStatus')]).toEqual([20 * 60, 90 * 60]);
  });

  it('counts the wait for a merge from the time at which the last check allowed it', () => {
    const checks = [
      { name: 'Forward', state: 'success', since: at(60) },
      { name: 'lint', state: 'success', since: at(5) },
    ] as const;
    expect(oldestWaits([proposed(checks)], now).get('Merge')).toBe(5 * 60);
    expect(oldestWaits([proposed(checks, 'True')], now).get('Merge')).toBe(0);
  });
});
