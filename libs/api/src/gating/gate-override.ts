import * as z from 'zod';
import { gatingGroup } from '../names.js';
import { fieldColumns, textColumn } from '../schema/columns.js';
import { commonStatus, duration, objectName, readyColumns, timestamp } from '../schema/common.js';
import { defineKind, withRules } from '../schema/define.js';
import { targetKinds } from './fields.js';

/** A full commit SHA (SHA-1 or SHA-256) or digest, alone or at the end of a Flux revision. */
export const fullRevision = /^(.*[:/])?([0-9A-Fa-f]{40}|[0-9A-Fa-f]{64})$/;

const spec = withRules(
  z.object({
    gateRef: z.object({ name: objectName('Name of the Gate, in the same namespace.') }),
    effect: z
      .enum(['Open', 'Close'])
      .describe(
        'Open: lets through what the gate would hold. Close: closes the gate and ends earlier overrides that opened it.',
      ),
    reason: z
      .string()
      .min(1)
      .max(1024)
      .regex(/[^\s]/)
      .describe('Reason for the override, which is recorded in the audit trail.'),
    ticket: z.string().min(1).max(256).optional().describe('Number of a ticket, incident or change.'),
    expiresAt: timestamp('When the override expires.').optional(),
    duration: duration(
      'How long the override lasts from its creation. With effect Close, 0s ends earlier overrides without closing the gate.',
    ).optional(),
    once: z
      .boolean()
      .default(false)
      .describe(
        'Ends the override as soon as each bound target has taken one new revision that the gate would have held.',
      ),
    revisions: z
      .array(z.string().max(512).regex(fullRevision))
      .max(32)
      .meta({ 'x-kubernetes-list-type': 'set' })
      .optional()
      .describe(
        'Lets only these revisions through: full commit SHAs or digests, alone or as part of a revision such as main@sha1:<commit>.',
      ),
    targets: z
      .array(z.object({ kind: z.enum(targetKinds), name: objectName('Name of the object.') }))
      .max(64)
      .optional()
      .describe('Restricts the override to these targets. By default it applies to all bound objects.'),
  }),
  [
    { rule: 'self == oldSelf', message: 'a GateOverride is immutable; create another one' },
    {
      rule: '!(has(self.expiresAt) && has(self.duration))',
      message: 'at most one of expiresAt and duration may be set',
    },
    {
      rule: "self.effect != 'Open' || has(self.expiresAt) || has(self.duration)",
      message: 'an override that opens a gate must set expiresAt or duration',
    },
    {
      rule: "self.effect != 'Close' || (!self.once && !has(self.revisions))",
      message: 'once and revisions require effect Open',
    },
  ],
);

const trackedTarget = (revision: string) =>
  z.object({
    kind: z.string().max(63),
    name: objectName('Name of the target.'),
    namespace: objectName('Namespace of the target.').optional(),
    revision: z.string().max(512).optional().describe(revision),
  });

export const GateOverride = defineKind({
  group: gatingGroup,
  version: 'v1alpha1',
  kind: 'GateOverride',
  plural: 'gateoverrides',
  description: 'Opens or closes a gate for a limited time, with a reason and a recorded author.',
  spec,
  status: z.object({
    ...commonStatus,
    phase: z
      .enum(['Pending', 'Active', 'Expired', 'Ended', 'Spent', 'Rejected'])
      .optional()
      .describe(
        'Pending: not in force yet. Active: in force. Expired: its end has passed. Ended: a newer override with effect Close ended it. Spent: each target has taken its one revision (once). Rejected: the override is not valid.',
      ),
    actor: z
      .string()
      .max(256)
      .optional()
      .describe('User who created the override, as authenticated by the API server.'),
    expiresAt: timestamp('When the override expires.').optional(),
    endedAt: timestamp('When the override ended. It is deleted some time later (--audit-ttl).').optional(),
    message: z
      .string()
      .max(1024)
      .optional()
      .describe('Human-readable explanation of why the override ended or is not in force.'),
    waiting: z
      .array(trackedTarget('Current revision of the target. Unset if the target does not have a revision.'))
      .max(256)
      .optional()
      .describe(
        'With once: bound targets that have not taken a new revision yet while the override lets them through.',
      ),
    released: z
      .array(trackedTarget('The revision that the target took.'))
      .max(256)
      .optional()
      .describe('With once: bound targets that took a new revision while the override let them through.'),
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
