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

/** The status of a gate that was seen for the last time before it was due to close. */
const dueToClose = {
  state: 'Open',
  since: '2025-12-01T00:00:00Z',
  validUntil: '2026-11-20T00:00:00Z',
  next: { at: '2026-11-20T00:00:00Z', state: 'Closed', cause: 'GateKeeper/keeper' },
} as const;

test.each([
  ['a new gate: by the schedule', '2026-11-21T00:00:00Z', undefined, 'Closed 2026-11-20T00:00:00.000Z'],
  [
    'a change that was expected, seen late: when it was due',
    '2026-11-20T07:00:00Z',
    dueToClose,
    'Closed 2026-11-20T00:00:00.000Z',
  ],
  [
    'no change: as it was, also when the schedule was changed under way',
    '2026-11-21T00:00:00Z',
    { state: 'Closed', since: '2026-11-01T00:00:00Z', validUntil: '2026-11-21T00:30:00Z' },
    'Closed 2026-11-01T00:00:00.000Z',
  ],
  [
    'closed and open again while the controller was down',
    '2026-12-05T00:00:00Z',
    dueToClose,
    'Open 2026-12-01T00:00:00.000Z',
  ],
  [
    'a clock that stepped back does not move the change into the future',
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

test('a keeper that is deleted in its window: now, as nothing tells of it', () => {
  const status = closedUntil('2026-11-21T12:30:00Z');
  const now = Date.parse('2026-11-21T12:00:00Z');
  const decision = decideGate(now, gate({ closed: false }, status), [], []);
  expect(decision).toMatchObject({ state: 'Open', cause: 'Default', since: now });
});

test('an override: when it was asked for, and when it ended', () => {
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
