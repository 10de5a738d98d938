import { expect, test } from '@jest/globals';
import type { GateKeeper, KubeObject } from '@interlock/api';
import { Problem } from '@interlock/base';
import { readCalendar } from './calendar/read.js';
import { decideGate } from './decide.js';
import { gate, keeper, override, scheduleKeeper } from './testing/objects.js';
import type { KeeperInput } from './types.js';

const at = (text: string) => Date.parse(text);
const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
const hourMs = 3_600_000;

const freeze = scheduleKeeper({
  closed: [
    { cron: '* * 20-30 11 *', description: 'Black Friday' },
    { cron: '* * 15-31 12 *', description: 'Xmas' },
  ],
});
const inputs = (...keepers: GateKeeper[]): KeeperInput[] => keepers.map((one) => ({ keeper: one }));

test('without a keeper or an override, follows spec.closed since the creation of the gate', () => {
  expect(decideGate(at('2026-11-21T12:00:00Z'), gate(), [], [])).toEqual({
    state: 'Closed',
    cause: 'Default',
    message: 'closed by spec.closed; no GateKeeper or override opens it',
    since: at('2020-01-01T00:00:00Z'),
    validUntil: at('2026-11-21T13:00:00Z'),
    contributions: [],
    problems: [],
  });
  expect(decideGate(at('2026-11-21T12:00:00Z'), gate({ closed: false }), [], [])).toMatchObject({
    state: 'Open',
    cause: 'Default',
  });
});

test('with the spelling of the working examples, closes for Black Friday and opens after it', () => {
  const cronjob = keeper({
    type: 'cronexpression',
    cronjob: { timeZone: 'UTC', closed: ['* * 20-30 11 *', '* * 15-31 12 *'] },
  });
  const decision = decideGate(at('2026-11-21T12:00:00Z'), gate(), inputs(cronjob), []);
  expect(decision).toMatchObject({
    state: 'Closed',
    cause: 'GateKeeper/keeper',
    message: 'GateKeeper/keeper: closed in the window "* * 20-30 11 *" (UTC)',
    since: at('2026-11-20T00:00:00Z'),
    next: { at: at('2026-12-01T00:00:00Z'), state: 'Open', cause: 'GateKeeper/keeper' },
  });
  const open = decideGate(at('2026-12-05T00:00:00Z'), gate(), inputs(cronjob), []);
  expect(open).toMatchObject({
    state: 'Open',
    since: at('2026-12-01T00:00:00Z'),
    next: { at: at('2026-12-15T00:00:00Z'), state: 'Closed' },
  });
});

test('limits the validity of a state to its next change and to its time to live', () => {
  const decide = (now: string) =>
    decideGate(at(now), gate(), inputs(freeze), [], undefined, { stateTtlMs: hourMs });
  expect(iso(decide('2026-11-30T22:00:00Z').validUntil)).toBe('2026-11-30T23:00:00.000Z');
  expect(iso(decide('2026-11-30T23:30:00Z').validUntil)).toBe('2026-12-01T00:00:00.000Z');
});

test('computes the next change from overlapping keepers as a whole', () => {
  const longer = scheduleKeeper({ closed: [{ from: '2026-11-25T00:00', to: '2026-12-03T00:00' }] }, 'longer');
  const decision = decideGate(at('2026-11-21T00:00:00Z'), gate(), inputs(freeze, longer), []);
  expect(decision.next).toEqual({
    at: at('2026-12-03T00:00:00Z'),
    state: 'Open',
    cause: 'GateKeeper/keeper',
  });
  expect(decision.contributions.map(({ source, effect, next }) => [source, effect, iso(next)])).toEqual([
    ['GateKeeper/keeper', 'Closed', '2026-12-01T00:00:00.000Z'],
    ['GateKeeper/longer', 'Abstain', '2026-11-25T00:00:00.000Z'],
  ]);
});

test('closes the gate outside of open windows', () => {
  const office = scheduleKeeper({ timeZone: 'Europe/Berlin', open: [{ cron: '* 9-16 * * 1-5' }] });
  const decide = (now: string) => decideGate(at(now), gate(), inputs(office), []);
  expect(decide('2026-11-20T10:00:00Z')).toMatchObject({
    state: 'Open',
    next: { at: at('2026-11-20T16:00:00Z'), state: 'Closed' },
  });
  expect(decide('2026-11-21T10:00:00Z')).toMatchObject({
    state: 'Closed',
    message: 'GateKeeper/keeper: closed outside of its open windows (Europe/Berlin)',
    since: at('2026-11-20T16:00:00Z'),
    next: { at: at('2026-11-23T08:00:00Z'), state: 'Open' },
  });
});

test('finds a next change on a leap day that is years ahead', () => {
  const leap = scheduleKeeper({ closed: [{ cron: '* * 29 2 *' }] });
  expect(decideGate(at('2028-03-01T00:00:00Z'), gate(), inputs(leap), []).next).toMatchObject({
    at: at('2032-02-29T00:00:00Z'),
  });
});

test('returns no next change for a keeper that is always closed', () => {
  const always = scheduleKeeper({ closed: [{ from: '1990-01-01T00:00', to: '2190-01-01T00:00' }] });
  const decision = decideGate(at('2026-11-21T00:00:00Z'), gate(), inputs(always), []);
  expect(decision).toMatchObject({ state: 'Closed', cause: 'GateKeeper/keeper' });
  expect(decision.next).toBeUndefined();
});

test.each([
  [{ timeZone: 'Mars/Olympus', closed: [{ cron: '* * * * *' }] }, 'spec.schedule.timeZone', 'Mars/Olympus'],
  [{ closed: [{ cron: '* * 31 2 *' }] }, 'spec.schedule.closed[0].cron', 'never matches'],
])(
  'closes the gate for an invalid keeper, whatever its failurePolicy and overrides are',
  (schedule, field, text) => {
    const opened = override({ duration: '30m' }, '2026-11-21T12:00:00Z');
    const policy = gate({ closed: false, failurePolicy: 'Open' });
    const now = at('2026-11-21T12:10:00Z');
    const decision = decideGate(now, policy, inputs(scheduleKeeper(schedule), freeze), [opened]);
    expect(decision).toMatchObject({ state: 'Closed', cause: 'Invalid' });
    expect(decision.message).toContain(text);
    expect(decision.problems).toEqual([
      {
        object: 'GateKeeper/keeper',
        field,
        value: expect.any(String),
        message: expect.stringContaining(text),
      },
    ]);
    expect(decision.contributions[0]).toMatchObject({ source: 'GateKeeper/keeper', effect: 'Invalid' });
  },
);

const ready = keeper({
  type: 'expression',
  expression: {
    cel: "object.status.phase == 'Ready'",
    over: { apiVersion: 'v1', kind: 'Thing', name: 'database' },
  },
});
const thing = (phase?: string): KeeperInput => ({
  keeper: ready,
  over: {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: 'database' },
    ...(phase && { status: { phase } }),
  } as KubeObject,
});

test.each([
  ['Ready', 'Open', 'GateKeeper/keeper'],
  ['Broken', 'Closed', 'GateKeeper/keeper'],
])('evaluates an expression over a resource that is %s as %s', (phase, state, cause) => {
  expect(decideGate(at('2026-11-21T00:00:00Z'), gate(), [thing(phase)], [])).toMatchObject({ state, cause });
});

test.each([
  ['Closed', undefined, 'Closed'],
  ['Open', undefined, 'Open'],
  ['Hold', 'Open', 'Open'],
  ['Hold', 'Closed', 'Closed'],
  ['Hold', undefined, 'Closed'],
] as const)(
  'with failurePolicy %s and the last state %s, is %s while a keeper cannot be evaluated',
  (failurePolicy, was, state) => {
    const object = gate({ failurePolicy }, was && { state: was });
    const unknown: KeeperInput[] = [
      thing(),
      { keeper: ready, over: new Problem('NotFound', 'not found') },
      { keeper: ready },
    ];
    for (const input of unknown)
      expect(decideGate(at('2026-11-21T00:00:00Z'), object, [input], [])).toMatchObject({
        state,
        cause: 'FailurePolicy',
        contributions: [{ effect: 'Unknown' }],
      });
  },
);

test('does not apply failurePolicy while another keeper closes the gate', () => {
  const now = at('2026-11-21T00:00:00Z');
  const object = gate({ failurePolicy: 'Open' });
  expect(decideGate(now, object, [thing(), ...inputs(freeze)], [])).toMatchObject({
    state: 'Closed',
    cause: 'GateKeeper/keeper',
  });
});

const byCalendar = keeper({ type: 'calendar', calendar: { timeZone: 'UTC', effect: 'Closed' } });
/** Returns a calendar with one event. */
const calendar = (...lines: string[]) => {
  const event = ['BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT'];
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:t', ...event, 'END:VCALENDAR'].join('\r\n');
};

test('closes the gate during the events of a calendar', () => {
  const text = calendar('SUMMARY:Audit', 'DTSTART:20261121T100000Z', 'DURATION:PT2H', 'RRULE:FREQ=WEEKLY');
  const decision = decideGate(
    at('2026-11-21T11:00:00Z'),
    gate(),
    [{ keeper: byCalendar, calendar: readCalendar(text, 'UTC', 2026) }],
    [],
  );
  expect(decision).toMatchObject({
    state: 'Closed',
    message: 'GateKeeper/keeper: closed during the event "Audit"',
    since: at('2026-11-21T10:00:00Z'),
    next: { at: at('2026-11-21T12:00:00Z'), state: 'Open' },
  });
  const unread = decideGate(
    at('2026-11-21T11:00:00Z'),
    gate(),
    [{ keeper: byCalendar, calendar: new Problem('CallFailed', 'the calendar cannot be used: it is empty') }],
    [],
  );
  expect(unread).toMatchObject({
    cause: 'FailurePolicy',
    message: expect.stringContaining('it is empty'),
  });
});

const exceeded = new Problem('LimitExceeded', 'it is too large', { transient: false });
const over = { apiVersion: 'v1', kind: 'ConfigMap', name: 'large' };
const byObject = keeper({ type: 'expression', expression: { over, cel: 'object.data.a == "b"' } });

test.each<[string, string, KeeperInput]>([
  ['calendar', 'spec.calendar', { keeper: byCalendar, calendar: exceeded }],
  ['object', 'spec.expression.over', { keeper: byObject, over: exceeded }],
])(
  'treats a keeper whose %s exceeds the limits as invalid, whatever the failure policy is',
  (_, field, input) => {
    const policy = gate({ closed: false, failurePolicy: 'Open' });
    expect(decideGate(at('2026-11-21T11:00:00Z'), policy, [input], [])).toMatchObject({
      state: 'Closed',
      cause: 'Invalid',
      problems: [{ object: 'GateKeeper/keeper', field, message: exceeded.message }],
    });
  },
);

test('treats a calendar as unknown before the time from which it was expanded', () => {
  const text = calendar('DTSTART:20300101T000000Z');
  const events = readCalendar(text, 'UTC', 2030);
  const decision = decideGate(
    at('2026-11-21T11:00:00Z'),
    gate(),
    [{ keeper: byCalendar, calendar: events }],
    [],
  );
  expect(decision).toMatchObject({
    cause: 'FailurePolicy',
    message: expect.stringContaining('are only known from 2028-01-01T00:00:00Z'),
  });
});

test('treats a calendar with too many events as unknown once they are no longer expanded', () => {
  const text = calendar('DTSTART:20260101T000000Z', 'DURATION:PT30M', 'RRULE:FREQ=HOURLY');
  const decide = (now: string) =>
    decideGate(
      at(now),
      gate(),
      [
        {
          keeper: byCalendar,
          calendar: readCalendar(text, 'UTC', new Date(now).getUTCFullYear()),
        },
      ],
      [],
    );
  expect(decide('2026-06-01T00:40:00Z')).toMatchObject({
    state: 'Open',
    next: { at: at('2026-06-01T01:00:00Z') },
  });
  expect(decide('2028-06-01T00:40:00Z')).toMatchObject({
    state: 'Closed',
    cause: 'FailurePolicy',
    message: expect.stringContaining(
      'the calendar repeats so often that its events are only known until 2027-02-21T',
    ),
  });
});

test('ignores keepers and overrides of other gates and namespaces', () => {
  const other = { ...freeze, metadata: { ...freeze.metadata, namespace: 'other' } };
  const foreign = { ...freeze, spec: { ...freeze.spec, gate: 'another' } };
  const opened = override({ duration: '30m', gateRef: { name: 'another' } }, '2026-11-21T12:00:00Z');
  expect(decideGate(at('2026-11-21T12:10:00Z'), gate(), inputs(other, foreign), [opened])).toMatchObject({
    state: 'Closed',
    cause: 'Default',
  });
});
