import * as z from 'zod';
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
  .describe('Name of a time zone in the IANA time zone database, such as Europe/Berlin.');
const dayMatch = z
  .enum(['any', 'all'])
  .default('any')
  .describe(
    'How a cron expression that restricts both the day of the month and the day of the week is evaluated. any: either must match, as in cron. all: both must match.',
  );
const wallTime = (description: string) =>
  z
    .string()
    .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?$/)
    .describe(`${description}, in RFC 3339 format or, without an offset, in the time zone of the schedule.`);

const scheduleWindow = withRules(
  z.object({
    cron: cron(
      'Cron expression for the minutes that belong to the window: five fields, from minute to day of the week.',
    ).optional(),
    start: cron(
      'Cron expression for the start of the window: five fields, from minute to day of the week.',
    ).optional(),
    duration: duration('How long the window lasts from its start, in elapsed time.').optional(),
    from: wallTime('Start of a window that occurs once').optional(),
    to: wallTime('End of a window that occurs once, exclusive').optional(),
    description: z.string().max(256).optional().describe('Name of the window, such as Black Friday.'),
  }),
  [
    exactlyOneOf('form of a window', ['cron', 'start', 'from']),
    { rule: 'has(self.start) == has(self.duration)', message: 'start and duration must be set together' },
    { rule: 'has(self.from) == has(self.to)', message: 'from and to must be set together' },
  ],
);
const windows = (description: string) =>
  z.array(scheduleWindow).min(1).max(50).optional().describe(description);

const schedule = withRules(
  z.object({
    timeZone,
    dayMatch,
    closed: windows('Windows during which the gate is closed.'),
    open: windows('Windows outside of which the gate is closed.'),
  }),
  [{ rule: 'has(self.closed) || has(self.open)', message: 'closed or open must list at least one window' }],
);

const calendar = withRules(
  z.object({
    configMapRef: z
      .object({
        name: objectName('Name of a ConfigMap in the same namespace.'),
        key: z
          .string()
          .min(1)
          .max(253)
          .default('calendar.ics')
          .describe('Key of the ConfigMap that holds the iCalendar text.'),
      })
      .optional(),
    url: z
      .string()
      .max(2048)
      .regex(/^https:\/\//)
      .optional()
      .describe('URL of the calendar. The controller must allow its host (--calendar-hosts).'),
    timeZone: timeZone.describe('Time zone of events that do not specify one.'),
    effect: z
      .enum(['Closed', 'Open'])
      .default('Closed')
      .describe(
        'State of the gate during events. Closed: the gate is closed during events. Open: the gate is closed outside of events.',
      ),
  }),
  [exactlyOneOf('source of a calendar', ['configMapRef', 'url'])],
);

const expression = z.object({
  cel: z
    .string()
    .min(1)
    .max(2048)
    .describe(
      'CEL expression over `object`, the referenced resource. The gate is closed unless it evaluates to true.',
    ),
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
    name: objectName(
      'Name of the resource. A namespaced resource is read from the namespace of the GateKeeper.',
    ),
  }),
});

const cronjob = z.object({
  timeZone,
  closed: z
    .array(cron('The minutes during which the gate is closed.'))
    .min(1)
    .max(50)
    .describe('Cron expressions. The gate is closed in every minute that matches one of them.'),
});

/**
 * Each type and the field that it requires. `cronexpression` is the spelling in the working examples of the proposal.
 */
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
  description: 'Closes a gate based on a schedule, a calendar or the state of a resource.',
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
        message: `type ${type} requires the field ${field}`,
      })),
    ],
  ),
  status: z.object({
    ...commonStatus,
    effect: z
      .enum(['Open', 'Closed', 'Abstain', 'Unknown', 'Invalid'])
      .optional()
      .describe('The state that the GateKeeper currently contributes.'),
    message: z.string().max(1024).optional().describe('Human-readable explanation of the state.'),
    next: timestamp('When the state will change next.').optional(),
    warnings: z
      .array(z.string().max(512))
      .max(16)
      .optional()
      .describe(
        'Parts of the spec that may not have the intended effect, such as a day of the month combined with a day of the week.',
      ),
    calendar: z
      .object({
        readAt: timestamp('When the calendar was last read.'),
        events: z.int().describe('Number of events in the calendar.'),
        digest: z.string().max(128).describe('SHA-256 digest of the calendar text.'),
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
type GateKeeperSpec = GateKeeper['spec'];
export type GateKeeperStatus = NonNullable<GateKeeper['status']>;
export type Schedule = NonNullable<GateKeeperSpec['schedule']>;
export type ScheduleWindow = NonNullable<Schedule['closed']>[number];
