import { z } from 'zod';
import { gatingGroup } from '../names.js';
import { fieldColumns } from '../schema/columns.js';
import { commonStatus, duration, objectName, timestamp } from '../schema/common.js';
import { defineKind, exactlyOneOf, withRules } from '../schema/define.js';
import { nextColumns } from './fields.js';

const cron = (description: string) => z.string().min(9).max(256).describe(description);
const timeZone = z
  .string()
  .min(1)
  .max(64)
  .default('UTC')
  .describe('Name in the IANA time zone database, such as Europe/Berlin.');
const dayMatch = z
  .enum(['any', 'all'])
  .default('any')
  .describe(
    'What a cron expression with both a day of the month and a day of the week means: either (any, as cron has it) or both (all).',
  );
const wallTime = (description: string) =>
  z
    .string()
    .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?$/)
    .describe(`${description}: RFC 3339, or without offset in the time zone of the schedule.`);

const scheduleWindow = withRules(
  z.object({
    cron: cron('The minutes that match: five fields, minute to day of the week.').optional(),
    start: cron('When the window begins: five fields, minute to day of the week.').optional(),
    duration: duration('How long it is then, in elapsed time.').optional(),
    from: wallTime('Begin of a window that comes once').optional(),
    to: wallTime('Its end, exclusive').optional(),
    description: z.string().max(256).optional().describe('Name of the window, such as Black Friday.'),
  }),
  [
    exactlyOneOf('form of a window', ['cron', 'start', 'from']),
    { rule: 'has(self.start) == has(self.duration)', message: 'start and duration belong together' },
    { rule: 'has(self.from) == has(self.to)', message: 'from and to belong together' },
  ],
);
const windows = (description: string) =>
  z.array(scheduleWindow).min(1).max(50).optional().describe(description);

const schedule = withRules(
  z.object({
    timeZone,
    dayMatch,
    closed: windows('The gate is closed inside of these windows.'),
    open: windows('The gate is closed outside of these windows.'),
  }),
  [{ rule: 'has(self.closed) || has(self.open)', message: 'closed or open must list a window' }],
);

const calendar = withRules(
  z.object({
    configMapRef: z
      .object({
        name: objectName('Name of a ConfigMap in the same namespace.'),
        key: z.string().min(1).max(253).default('calendar.ics').describe('Key of the iCalendar text.'),
      })
      .optional(),
    url: z
      .string()
      .max(2048)
      .regex(/^https:\/\//)
      .optional()
      .describe('Where to read it; the controller has to allow the host (--calendar-hosts).'),
    timeZone: timeZone.describe('Time zone of events that have none of their own.'),
    effect: z
      .enum(['Closed', 'Open'])
      .default('Closed')
      .describe('Closed: the gate is closed during events. Open: it is closed outside of them.'),
  }),
  [exactlyOneOf('source of a calendar', ['configMapRef', 'url'])],
);

const expression = z.object({
  cel: z
    .string()
    .min(1)
    .max(2048)
    .describe('The gate is closed unless this CEL expression over `object`, the named resource, is true.'),
  over: z.object({
    apiVersion: z
      .string()
      .min(1)
      .max(256)
      .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[a-z]([-a-z0-9]*[a-z0-9])?$/),
    kind: z
      .string()
      .min(1)
      .max(63)
      .regex(/^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$/),
    name: objectName('Name of the resource, in the namespace of the GateKeeper if it has one.'),
  }),
});

const cronjob = z.object({
  timeZone,
  closed: z
    .array(cron('The minutes in which the gate is closed.'))
    .min(1)
    .max(50)
    .describe('Cron expressions; the gate is closed in every minute that matches one.'),
});

/** Each type and the field that belongs to it. `cronexpression` is the spelling of the proposal's working examples. */
export const keeperPayloads = {
  schedule: 'schedule',
  calendar: 'calendar',
  expression: 'expression',
  cronexpression: 'cronjob',
} as const;

const fields = Object.values(keeperPayloads);

export const GateKeeper = defineKind({
  group: gatingGroup,
  version: 'v1alpha1',
  kind: 'GateKeeper',
  plural: 'gatekeepers',
  description: 'Closes a gate by time, by a calendar or by the state of a resource.',
  spec: withRules(
    z.object({
      gate: objectName('Name of the Gate, in the same namespace.'),
      type: z.enum(['schedule', 'calendar', 'expression', 'cronexpression']),
      schedule: schedule.optional(),
      calendar: calendar.optional(),
      expression: expression.optional(),
      cronjob: cronjob.optional(),
    }),
    [
      exactlyOneOf('of these fields', fields),
      ...Object.entries(keeperPayloads).map(([type, field]) => ({
        rule: `self.type != '${type}' || has(self.${field})`,
        message: `type ${type} needs the field ${field}`,
      })),
    ],
  ),
  status: z.object({
    ...commonStatus,
    effect: z
      .enum(['Open', 'Closed', 'Abstain', 'Unknown', 'Invalid'])
      .optional()
      .describe('What it says now.'),
    message: z.string().max(1024).optional().describe('Why, for people.'),
    next: timestamp('When it says something else.').optional(),
    warnings: z
      .array(z.string().max(512))
      .max(16)
      .optional()
      .describe('What may not be meant, such as a day of the month with a day of the week.'),
    calendar: z
      .object({
        readAt: timestamp('When the calendar was read last.'),
        events: z.int().describe('How many events it has.'),
        digest: z.string().max(128).describe('SHA-256 of its text.'),
      })
      .optional(),
  }),
  printColumns: [
    ...fieldColumns('spec', 'Gate', 'Type'),
    ...fieldColumns('status', 'Effect'),
    ...nextColumns('.status.next'),
  ],
});

export type GateKeeper = NonNullable<(typeof GateKeeper)['_object']>;
export type GateKeeperSpec = GateKeeper['spec'];
export type GateKeeperStatus = NonNullable<GateKeeper['status']>;
export type Schedule = NonNullable<GateKeeperSpec['schedule']>;
export type ScheduleWindow = NonNullable<Schedule['closed']>[number];
