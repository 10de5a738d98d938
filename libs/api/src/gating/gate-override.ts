import { z } from 'zod';
import { gatingGroup } from '../names.js';
import { fieldColumns, textColumn } from '../schema/columns.js';
import { commonStatus, duration, objectName, readyColumns, timestamp } from '../schema/common.js';
import { defineKind, withRules } from '../schema/define.js';
import { targetKinds } from './fields.js';

/** A commit (SHA-1 or SHA-256) or a digest in full, alone or at the end of a revision of Flux. */
export const fullRevision = /^(.*[:/])?([0-9A-Fa-f]{40}|[0-9A-Fa-f]{64})$/;

const spec = withRules(
  z.object({
    gateRef: z.object({ name: objectName('Name of the Gate, in the same namespace.') }),
    effect: z
      .enum(['Open', 'Close'])
      .describe(
        'Open: lets through what the gate would hold. Close: closes the gate, and ends the overrides that opened it before.',
      ),
    reason: z.string().min(1).max(1024).regex(/[^\s]/).describe('Why, for the audit trail.'),
    ticket: z.string().min(1).max(256).optional().describe('Ticket, incident or change number.'),
    expiresAt: timestamp('When it ends.').optional(),
    duration: duration(
      'How long it lasts from its creation. 0s with effect Close ends the overrides before and does not close the gate itself.',
    ).optional(),
    once: z
      .boolean()
      .default(false)
      .describe('Ends as soon as each bound target took one new revision that the gate would have held.'),
    revisions: z
      .array(z.string().max(512).regex(fullRevision))
      .max(32)
      .meta({ 'x-kubernetes-list-type': 'set' })
      .optional()
      .describe(
        'Only these revisions are let through: commits or digests, in full or as part of main@sha1:...',
      ),
    targets: z
      .array(z.object({ kind: z.enum(targetKinds), name: objectName('Name of the object.') }))
      .max(64)
      .optional()
      .describe('Only for these targets; absent: all that are bound.'),
  }),
  [
    { rule: 'self == oldSelf', message: 'a GateOverride is immutable; make another one' },
    {
      rule: '!(has(self.expiresAt) && has(self.duration))',
      message: 'at most one of expiresAt and duration may be set',
    },
    {
      rule: "self.effect != 'Open' || has(self.expiresAt) || has(self.duration)",
      message: 'an override that opens a gate needs expiresAt or duration',
    },
    {
      rule: "self.effect != 'Close' || (!self.once && !has(self.revisions))",
      message: 'once and revisions only go with effect Open',
    },
  ],
);

const trackedTarget = (revision: string) =>
  z.object({
    kind: z.string().max(63),
    name: objectName('Name of the target.'),
    namespace: objectName('Its namespace.').optional(),
    revision: z.string().max(512).optional().describe(revision),
  });

export const GateOverride = defineKind({
  group: gatingGroup,
  version: 'v1alpha1',
  kind: 'GateOverride',
  plural: 'gateoverrides',
  description: 'Opens or closes a gate for a while, for a reason, by somebody.',
  spec,
  status: z.object({
    ...commonStatus,
    phase: z
      .enum(['Pending', 'Active', 'Expired', 'Ended', 'Spent', 'Rejected'])
      .optional()
      .describe(
        'Pending: not looked at. Active: in force. Expired: its time is over. Ended: by a newer override that closes. Spent: once, and used. Rejected: it must not be.',
      ),
    actor: z.string().max(256).optional().describe('User who made it, as the API server authenticated them.'),
    expiresAt: timestamp('When it ends.').optional(),
    endedAt: timestamp('When it ended; it is deleted some time later (--audit-ttl).').optional(),
    message: z.string().max(1024).optional().describe('Why it ended or is not in force, for people.'),
    waiting: z
      .array(trackedTarget('The revision that it has; absent: none.'))
      .max(256)
      .optional()
      .describe(
        'With once: bound targets that have yet to take a new revision while it makes the difference.',
      ),
    released: z
      .array(trackedTarget('The revision that it took.'))
      .max(256)
      .optional()
      .describe('With once: bound targets that took a new revision while it made the difference.'),
  }),
  printColumns: [
    textColumn('Gate', '.spec.gateRef.name'),
    ...fieldColumns('spec', 'Effect'),
    ...fieldColumns('status', 'Phase', 'Actor'),
    textColumn('Until', '.status.expiresAt'),
    { ...textColumn('Why', '.spec.reason'), priority: 1 },
    ...readyColumns,
  ],
});

export type GateOverride = NonNullable<(typeof GateOverride)['_object']>;
export type GateOverrideStatus = NonNullable<GateOverride['status']>;
