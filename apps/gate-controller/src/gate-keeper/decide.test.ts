import { expect, test } from '@jest/globals';
import { GateKeeper, typeMeta } from '@interlock/api';
import { decideKeeper } from './decide.js';

const now = Date.UTC(2030, 5, 1);
const calendar = { readAt: '2030-05-01T00:00:00Z', events: 3, digest: 'a'.repeat(64) };
const keeper = (spec: Omit<GateKeeper['spec'], 'gate'>): GateKeeper => ({
  ...typeMeta(GateKeeper),
  metadata: { name: 'keeper', namespace: 'team', generation: 2 },
  spec: { gate: 'freeze', ...spec },
  status: { calendar },
});
const statusOf = (input: GateKeeper) =>
  decideKeeper({ input: { keeper: input }, hasGate: true, warnings: [] }, now, {}).status;

test('keeps the description of a calendar that cannot be read now', () => {
  const spec = { url: 'https://calendar.example.com/a.ics', timeZone: 'UTC', effect: 'Closed' } as const;
  expect(statusOf(keeper({ type: 'calendar', calendar: spec })).calendar).toEqual(calendar);
});

test('does not describe the former calendar of a keeper that has a schedule now', () => {
  const schedule = { timeZone: 'UTC', dayMatch: 'any', closed: [{ cron: '* 22 * * *' }] } as const;
  expect(
    statusOf(keeper({ type: 'schedule', schedule: { ...schedule, closed: [...schedule.closed] } })),
  ).not.toHaveProperty('calendar');
});
