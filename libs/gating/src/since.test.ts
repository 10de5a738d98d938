import { expect, test } from '@jest/globals';
import type { Gate } from '@interlock/api';
import { decideGate } from './decide.js';
import { gate, override, scheduleKeeper } from './testing/objects.js';

const freeze = scheduleKeeper({ closed: [{ cron: '* * 20-30 11 *' }] });
const since = (now: string, status: Gate['status'], keepers = [freeze], overrides = [] as never[]) => {
  const inputs = keepers.map((keeper) => ({ keeper }));
  const decision = decideGate(Date.parse(now), gate({}, status), inputs, overrides);
  return `${decision.state} ${new Date(decision.since).toISOString()}`;
};

/** The status of a gate that was last evaluated before it was due to close. */
const dueToClose = {
  state: 'Open',
  since: '2025-12-01T00:00:00Z',
  validUntil: '2026-11-20T00:00:00Z',
  next: { at: '2026-11-20T00:00:00Z', state: 'Closed', cause: 'GateKeeper/keeper' },
} as const;

test.each([
  ['uses the schedule for a new gate', '2026-11-21T00:00:00Z', undefined, 'Closed 2026-11-20T00:00:00.000Z'],
  [
    'uses the due time for an expected change that is observed late',
    '2026-11-20T07:00:00Z',
    dueToClose,
    'Closed 2026-11-20T00:00:00.000Z',
  ],
  [
    'keeps the recorded time without a change, even if the schedule was edited meanwhile',
    '2026-11-21T00:00:00Z',
    { state: 'Closed', since: '2026-11-01T00:00:00Z', validUntil: '2026-11-21T00:30:00Z' },
    'Closed 2026-11-01T00:00:00.000Z',
  ],
  [
    'finds the time of a second change while the controller was down',
    '2026-12-05T00:00:00Z',
    dueToClose,
    'Open 2026-12-01T00:00:00.000Z',
  ],
  [
    'does not move a change into the future after the clock stepped back',
    '2026-11-25T00:00:00Z',
    { state: 'Closed', since: '2026-11-26T00:00:00Z', validUntil: '2026-11-26T01:00:00Z' },
    'Closed 2026-11-25T00:00:00.000Z',
  ],
] as const)('%s', (_name, now, status, expected) => {
  expect(since(now, status && { ...status, ...('next' in status && { next: { ...status.next } }) })).toBe(
    expected,
  );
});

const closedUntil = (validUntil: string) =>
  ({ state: 'Closed', since: '2026-11-20T00:00:00Z', validUntil }) as const;

test('uses the current time for a keeper that is deleted during its window', () => {
  const status = closedUntil('2026-11-21T12:30:00Z');
  const now = Date.parse('2026-11-21T12:00:00Z');
  const decision = decideGate(now, gate({ closed: false }, status), [], []);
  expect(decision).toMatchObject({ state: 'Open', cause: 'Default', since: now });
});

test('uses the times at which an override was requested and ended', () => {
  const status = closedUntil('2026-11-21T13:00:00Z');
  const opened = override({ duration: '30m' }, '2026-11-21T12:00:00Z');
  const decide = (now: string) =>
    decideGate(Date.parse(now), gate({}, status), [{ keeper: freeze }], [opened]);
  expect(decide('2026-11-21T12:00:05Z')).toMatchObject({
    state: 'Open',
    since: Date.parse('2026-11-21T12:00:00Z'),
  });
  expect(decide('2026-11-21T12:40:00Z')).toMatchObject({
    state: 'Closed',
    since: Date.parse('2026-11-21T12:30:00Z'),
  });
});
