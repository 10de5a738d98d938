import * as z from 'zod';
import { gatingGroup } from '../names.js';
import { fieldColumns } from '../schema/columns.js';
import { commonStatus, duration, namespaceList, objectName, timestamp } from '../schema/common.js';
import { defineKind } from '../schema/define.js';
import { gateCause, gateState, nextChange, nextColumns } from './fields.js';

const contribution = z.object({
  source: gateCause.describe('GateKeeper/<name> or GateOverride/<name>.'),
  effect: z
    .enum(['Open', 'Closed', 'Abstain', 'Unknown', 'Invalid'])
    .describe(
      'The state that the source contributes. Abstain: the source does not contribute a state. Unknown: the source cannot be evaluated. Invalid: the spec of the source is wrong.',
    ),
  message: z.string().max(1024).describe('Human-readable explanation of the state.'),
  next: timestamp('When the state that the source contributes will change next.').optional(),
});

const digest = (description: string) =>
  z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe(description);

const heldTarget = z.object({
  kind: z.string().max(63),
  name: objectName('Name of the object.'),
  namespace: objectName('Namespace of the object.').optional(),
  revision: z.string().max(512).optional().describe('Revision of the object when the change was observed.'),
});

/** One record of the audit trail. The digest covers all other fields, including the digest of the previous record. */
const auditRecord = z.object({
  at: timestamp('When the controller observed the change.'),
  since: timestamp('When the state changed. This is earlier than `at` if the controller was down.'),
  from: gateState.optional().describe('The previous state. Unset if there was none.'),
  to: gateState.describe('The new state.'),
  cause: gateCause,
  actor: z
    .string()
    .max(256)
    .optional()
    .describe(
      'User who created the override, or who wrote the spec of the deciding Gate or GateKeeper, as authenticated by the API server.',
    ),
  reason: z.string().max(1024).optional().describe('Reason of the override.'),
  ticket: z.string().max(256).optional().describe('Ticket of the override.'),
  targets: z.array(heldTarget).max(20).optional().describe('The first twenty bound objects.'),
  targetCount: z.int().optional().describe('Number of bound objects.'),
  next: nextChange.optional(),
  sequence: z
    .int()
    .min(1)
    .optional()
    .describe('Number of the record in the audit trail of the gate, starting at 1.'),
  previous: digest('Digest of the previous record. For the first record, the digest of the empty text.'),
  digest: digest(
    'SHA-256 digest of the canonical JSON of this record, without this field and the signature.',
  ),
  signature: z
    .string()
    .max(128)
    .optional()
    .describe('Ed25519 signature of the digest in base64, if the controller has a signing key.'),
});

export const Gate = defineKind({
  group: gatingGroup,
  version: 'v1alpha1',
  kind: 'Gate',
  plural: 'gates',
  description:
    'A gate that is open or closed. While it is closed, it holds the objects that are bound to it.',
  spec: z.object({
    closed: z
      .boolean()
      .default(true)
      .describe(
        'State of the gate while no override and no GateKeeper decides. If the gate has valid GateKeepers, it is open while none of them closes it.',
      ),
    description: z.string().max(1024).optional().describe('Purpose of the gate.'),
    maxOverride: duration('Longest time for which an override may open the gate, such as 30m or 8h.').default(
      '1h',
    ),
    requiredApprovals: z
      .int()
      .min(0)
      .max(3)
      .optional()
      .describe(
        'Number of users, other than its author, who must approve an override that opens the gate before it takes effect.',
      ),
    ticketPattern: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe(
        'Regular expression (RE2) that must match the whole ticket of an override that opens the gate, such as INC-[0-9]+.',
      ),
    failurePolicy: z
      .enum(['Closed', 'Open', 'Hold'])
      .default('Closed')
      .describe(
        'State of the gate while a GateKeeper cannot be evaluated, for example because its calendar is unreachable. Hold: the gate keeps its last state.',
      ),
    allowedNamespaces: namespaceList
      .optional()
      .describe('Other namespaces whose GateBindings may reference the gate. * allows all namespaces.'),
  }),
  status: z.object({
    ...commonStatus,
    state: gateState.optional(),
    cause: gateCause.optional(),
    message: z.string().max(2048).optional().describe('Human-readable explanation of the state.'),
    since: timestamp('When the state last changed.').optional(),
    next: nextChange.optional(),
    validUntil: timestamp(
      'Time until which the state is valid. After that time, every reader treats the gate as closed.',
    ).optional(),
    contributions: z
      .array(contribution)
      .max(64)
      .optional()
      .describe('State that each GateKeeper and each override contributes.'),
    history: z.array(auditRecord).max(20).optional().describe('The most recent changes, newest last.'),
  }),
  printColumns: [...fieldColumns('status', 'State', 'Cause'), ...nextColumns('.status.next.at')],
});

export type Gate = NonNullable<(typeof Gate)['_object']>;
export type GateStatus = NonNullable<Gate['status']>;
export type GateContribution = NonNullable<GateStatus['contributions']>[number];
export type AuditRecord = NonNullable<GateStatus['history']>[number];
