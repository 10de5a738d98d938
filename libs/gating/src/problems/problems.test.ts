import { expect, test } from '@jest/globals';
import type { Schedule } from '@interlock/api';
import { decideRequire } from '../require.js';
import { binding, gate, keeper, override, scheduleKeeper } from '../testing/objects.js';
import { problemsOf, type GatingObject } from './problems.js';
import { neverOpenTogether, warningsOf } from './warnings.js';

const closed = (window: NonNullable<Schedule['closed']>[number], rest: Partial<Schedule> = {}) =>
  scheduleKeeper({ closed: [window], ...rest });
const once = (from: string, to: string) => closed({ from, to });

type Row = [GatingObject, field: string, value: string, message: string];
const ofCron = (cron: string, message: string): Row => [
  closed({ cron }),
  'spec.schedule.closed[0].cron',
  cron,
  message,
];
const pod = { apiVersion: 'v1', kind: 'Pod', name: 'x' };
const ofExpression = (cel: string, message: string): Row => [
  keeper({ type: 'expression', expression: { cel, over: pod } }),
  'spec.expression.cel',
  cel,
  message,
];

test.each<Row>([
  ofCron('* * *', 'has 3 fields; write five: minute, hour,'),
  ofCron('@daily', 'does not consist of five fields; write 0 0 * * *'),
  ofCron('61 * * * *', 'has 61 as minute; write a number from 0 to 59'),
  ofCron('* * L * *', 'is not valid at "L" (day of the month); write numbers'),
  ofCron('* 22-2 * * *', 'is not a cron expression: From value is larger'),
  ofCron('* * 31 2 *', 'never matches, because there is no such date'),
  [closed({ start: 'x', duration: '8h' }), 'spec.schedule.closed[0].start', 'x', 'has 1 field; write five'],
  [
    closed({ start: '0 22 * * 5', duration: '0s' }),
    'spec.schedule.closed[0].duration',
    '0s',
    'is not a positive duration; write how long',
  ],
  [
    closed({ start: '0 22 * * 5', duration: 'long' }),
    'spec.schedule.closed[0].duration',
    'long',
    'is not a duration; write for example',
  ],
  [
    closed({ cron: '* * * * *' }, { timeZone: 'Berlin' }),
    'spec.schedule.timeZone',
    'Berlin',
    'is not a time zone; write a name of the IANA time zone database',
  ],
  [
    closed({ cron: '* * * * *' }, { timeZone: '+02:00' }),
    'spec.schedule.timeZone',
    '+02:00',
    'is not a time zone',
  ],
  [
    once('2026-12-27T00:00', '2026-12-24T00:00'),
    'spec.schedule.closed[0].to',
    '2026-12-24T00:00',
    'is not after from ("2026-12-27T00:00"); swap them',
  ],
  [
    once('2026-02-30T00:00', '2026-12-24T00:00'),
    'spec.schedule.closed[0].from',
    '2026-02-30T00:00',
    'is not an existing date and time',
  ],
  [
    once('Christmas', '2026-12-24T00:00'),
    'spec.schedule.closed[0].from',
    'Christmas',
    'is not a time; write 2026-12-24T18:00',
  ],
  [
    closed({ cron: '* * * * *', from: '2026-12-24T00:00' }),
    'spec.schedule.closed[0]',
    'cron,from',
    'a window must have exactly one form, but this one has cron and from',
  ],
  [closed({ cron: '* * * * *' }), 'spec.schedule', '* * * * *', 'it is always closed'],
  [
    scheduleKeeper({ closed: [{ cron: '* * 1-15 * *' }], open: [{ cron: '* * 1-15 * *' }] }),
    'spec.schedule',
    '* * 1-15 * *, * * 1-15 * *',
    'it is always closed',
  ],
  [scheduleKeeper({}), 'spec.schedule', '', 'it has no window; list at least one in closed or open'],
  [keeper({ type: 'calendar' }), 'spec.calendar', '', 'type calendar requires the field calendar; add it'],
  [
    keeper({ type: 'cronexpression', cronjob: { timeZone: 'UTC', closed: ['* * * * x'] } }),
    'spec.cronjob.closed[0]',
    '* * * * x',
    'is not valid at "x" (day of the week)',
  ],
  ofExpression('object.', 'is not a CEL expression over object'),
  ofExpression('1 + 1', 'its type is int, not bool'),
  ofExpression('other.x', 'Unknown variable: other'),
  [gate({ maxOverride: '1 day' }), 'spec.maxOverride', '1 day', 'write for example'],
  [
    override({ duration: '5m', reason: ' ' }, '2026-11-21T00:00:00Z'),
    'spec.reason',
    ' ',
    'the reason is missing; state one',
  ],
  [
    override({}, '2026-11-21T00:00:00Z'),
    'spec.duration',
    '',
    'an override that opens a gate must end; set duration or expiresAt',
  ],
  [
    override({ duration: '0s' }, '2026-11-21T00:00:00Z'),
    'spec.duration',
    '0s',
    'is not a positive duration; set a longer one',
  ],
  [binding({ targets: [] }), 'spec.targets', '', 'targets must list at least one object'],
  [binding({ expr: "gates['other']" }), 'spec.expr', "gates['other']", 'refs does not list the gate "other"'],
  [
    binding({ expr: 'gates.size() > 0' }),
    'spec.expr',
    'gates.size() > 0',
    "gates must be followed by a name, as in gates['freeze']",
  ],
  [binding({ expr: "'x'" }), 'spec.expr', "'x'", 'its type is string, not bool'],
])('states the field, the value and the correction: %#', (object, field, value, message) => {
  const [problem, ...others] = problemsOf(object);
  expect(others).toEqual([]);
  expect(problem).toEqual({
    object: `${object.kind}/${object.metadata.name}`,
    field,
    value,
    message: expect.stringContaining(message),
  });
});

test('reports no problems of valid objects', () => {
  const right = [
    gate(),
    scheduleKeeper({ closed: [{ cron: '*/15 8-18/2 1,15 JAN-MAR MON,7' }] }),
    override({ effect: 'Close', duration: '0s' }, '2026-11-21T00:00:00Z'),
    binding({ expr: "gates['change-freeze'] || !gates['change-freeze']" }),
    binding({ mode: 'CommitStatus', targets: [], commitStatus: { key: 'freeze' } }),
  ];
  expect(right.flatMap(problemsOf)).toEqual([]);
});

test.each([
  [
    closed({ cron: '* * 13 * 5' }),
    'closed[0]: "* * 13 * 5" has both a day of the month and a day of the week',
  ],
  [closed({ start: '0 1 13 * 5', duration: '1h' }), 'has both a day of the month and a day of the week'],
  [once('1990-01-01T00:00', '2190-01-01T00:00'), 'it is always closed'],
  [scheduleKeeper({ open: [{ cron: '* * * * *' }] }), 'it never closes the gate'],
  [
    once('2020-01-01T00:00', '2020-02-01T00:00'),
    'closed[0]: "2020-01-01T00:00 to 2020-02-01T00:00" has passed',
  ],
  [
    scheduleKeeper({
      open: [{ cron: '* 8 * * *' }, { from: '2020-01-01T00:00', to: '2020-02-01T00:00' }],
    }),
    'open[1]: "2020-01-01T00:00 to 2020-02-01T00:00" has passed',
  ],
])('warns of a spec that may not have the intended effect: %#', (object, message) => {
  expect(warningsOf(object, Date.parse('2026-11-21T00:00:00Z'))).toContainEqual(
    expect.stringContaining(message),
  );
});

test('does not search every minute of ten years for a time at which a schedule is open', () => {
  const halves = ['* * * 1-6 *', '* * * 7-12 *'].map((start) => ({ start, duration: '2m' }));
  const alwaysClosed = scheduleKeeper({ closed: halves });
  expect(problemsOf(alwaysClosed)).toEqual([]);
  expect(warningsOf(alwaysClosed, Date.parse('2026-11-21T00:00:00Z'))).toEqual([]);
});

test('does not warn of the working examples', () => {
  const seed = keeper({ type: 'cronexpression', cronjob: { timeZone: 'UTC', closed: ['* * 20-30 11 *'] } });
  expect(warningsOf(seed, Date.parse('2026-11-21T00:00:00Z'))).toEqual([]);
  expect(warningsOf(closed({ cron: '* * 13 * 5' }, { dayMatch: 'all' }))).toEqual([]);
});

const ref = (name: string) => ({ name });
const reading = (name: string, state: 'Open' | 'Closed' | 'Unknown') => ({
  ref: ref(name),
  state,
  message: 'm',
});

test.each([
  ['all', ['Open', 'Open'], 'Open'],
  ['all', ['Open', 'Closed'], 'Closed'],
  ['all', ['Unknown', 'Closed'], 'Closed'],
  ['all', ['Unknown', 'Open'], 'Unknown'],
  ['any', ['Closed', 'Open'], 'Open'],
  ['oneOf', ['Unknown', 'Open'], 'Open'],
  ['oneOf', ['Unknown', 'Closed'], 'Unknown'],
  ['oneOf', ['Open', 'Open'], 'Open'],
  ['any', ['Closed', 'Closed'], 'Closed'],
] as const)('with require %s, evaluates %j to %s', (require, [a, b], state) => {
  const spec = { require, refs: [ref('a'), ref('b')] };
  expect(decideRequire(spec, [reading('a', a), reading('b', b)]).state).toBe(state);
});

test.each([
  ["gates['a'] || (gates['b'] && gates['c'])", ['Unknown', 'Open', 'Open'], 'Open'],
  ["gates['a'] || (gates['b'] && gates['c'])", ['Unknown', 'Closed', 'Open'], 'Unknown'],
  ["gates['a'] && gates['b']", ['Unknown', 'Closed', 'Open'], 'Closed'],
  ['gates.a && !gates.b', ['Open', 'Closed', 'Open'], 'Open'],
  ["!gates['a']", ['Unknown', 'Open', 'Open'], 'Unknown'],
  ["gates['d']", ['Open', 'Open', 'Open'], 'Unknown'],
] as const)('evaluates %s with %j to %s', (expr, [a, b, c], state) => {
  const spec = { expr, refs: [ref('a'), ref('b'), ref('c')] };
  expect(decideRequire(spec, [reading('a', a), reading('b', b), reading('c', c)]).state).toBe(state);
});

test('treats a gate that was not read as Unknown', () => {
  expect(decideRequire({ refs: [ref('a')] }, [])).toEqual({
    state: 'Unknown',
    message: 'a is unknown (the Gate a has not been read yet)',
  });
});

test('requires a regular expression as the pattern of tickets', () => {
  expect(problemsOf(gate({ ticketPattern: 'INC-[0-9]+' }))).toEqual([]);
  expect(problemsOf(gate({ ticketPattern: '(' }))).toEqual([
    expect.objectContaining({
      field: 'spec.ticketPattern',
      message: expect.stringContaining('not a regular'),
    }),
  ]);
});

test.each([
  ['keepers whose open windows do not overlap', ['0 8 * * 1-5', '0 20 * * 1-5'], true],
  ['keepers whose open windows overlap on one day of the week', ['0 8 * * 1-5', '0 12 * * 5'], false],
  ['one keeper', ['0 8 * * 1-5'], false],
])('detects whether a gate never opens: %s', (_name, starts, isNeverOpen) => {
  const keepers = starts.map((start, index) =>
    scheduleKeeper({ open: [{ start, duration: '6h' }] }, `keeper-${index}`),
  );
  const problem = neverOpenTogether(gate(), keepers, Date.parse('2026-11-22T00:00:00Z'));
  if (isNeverOpen) expect(problem).toMatch(/^its GateKeepers keeper-0, keeper-1 are never open at the same/);
  else expect(problem).toBeUndefined();
});
