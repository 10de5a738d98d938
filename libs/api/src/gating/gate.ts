import { z } from 'zod';
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
      'What it says now. Abstain: nothing. Unknown: it cannot be evaluated. Invalid: its spec is wrong.',
    ),
  message: z.string().max(1024).describe('Why, for people.'),
  next: timestamp('When it says something else.').optional(),
});

const digest = (description: string) =>
  z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe(description);

const heldTarget = z.object({
  kind: z.string().max(63),
  name: objectName('Name of the object.'),
  namespace: objectName('Its namespace.').optional(),
  revision: z.string().max(512).optional().describe('The revision that it had.'),
});

/** One record of the audit trail. The digest is over all other fields, and so over that of the record before. */
const auditRecord = z.object({
  at: timestamp('When the controller saw the change.'),
  since: timestamp('When the state changed, which is before `at` if the controller was down.'),
  from: gateState.optional().describe('The state before; absent: there was none.'),
  to: gateState.describe('The state after.'),
  cause: gateCause,
  actor: z
    .string()
    .max(256)
    .optional()
    .describe(
      'User who made the override, or who wrote the spec of the Gate or the GateKeeper that decides, as the API server authenticated them.',
    ),
  reason: z.string().max(1024).optional().describe('Reason of the override.'),
  ticket: z.string().max(256).optional().describe('Ticket of the override.'),
  targets: z.array(heldTarget).max(20).optional().describe('What is bound, the first twenty.'),
  targetCount: z.int().optional().describe('How many are bound.'),
  next: nextChange.optional(),
  sequence: z.int().min(1).optional().describe('Counts the records of the gate, from 1.'),
  previous: digest('Digest of the record before; of no text for the first.'),
  digest: digest('SHA-256 of the canonical JSON of this record without this field and the signature.'),
  signature: z
    .string()
    .max(128)
    .optional()
    .describe('Signature of the digest (Ed25519, base64), where the controller has a key.'),
});

export const Gate = defineKind({
  group: gatingGroup,
  version: 'v1alpha1',
  kind: 'Gate',
  plural: 'gates',
  description: 'A gate that is open or closed, and holds what is bound to it while it is closed.',
  spec: z.object({
    closed: z
      .boolean()
      .default(true)
      .describe(
        'The state when no override and no GateKeeper has an opinion. A gate with a valid GateKeeper is open when none closes it.',
      ),
    description: z.string().max(1024).optional().describe('What the gate is for.'),
    maxOverride: duration('The longest that an override may open it, such as 30m or 8h.').default('1h'),
    requiredApprovals: z
      .int()
      .min(0)
      .max(3)
      .optional()
      .describe(
        'How many users other than its maker have to approve an override that opens it, before it is in force.',
      ),
    ticketPattern: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe(
        'Regular expression (RE2) that the whole ticket of an override that opens it has to match, such as INC-[0-9]+.',
      ),
    failurePolicy: z
      .enum(['Closed', 'Open', 'Hold'])
      .default('Closed')
      .describe(
        'The state while a GateKeeper cannot be evaluated, such as for a calendar that is out of reach. Hold: as it was.',
      ),
    allowedNamespaces: namespaceList
      .optional()
      .describe('Namespaces, other than its own, whose GateBindings may refer to it; * is all.'),
  }),
  status: z.object({
    ...commonStatus,
    state: gateState.optional(),
    cause: gateCause.optional(),
    message: z.string().max(2048).optional().describe('Why, for people.'),
    since: timestamp('When the state changed last.').optional(),
    next: nextChange.optional(),
    validUntil: timestamp(
      'Until when the state may be believed; from then on the gate is closed for every reader.',
    ).optional(),
    contributions: z
      .array(contribution)
      .max(64)
      .optional()
      .describe('What each GateKeeper and override says.'),
    history: z.array(auditRecord).max(20).optional().describe('The last changes, the newest last.'),
  }),
  printColumns: [...fieldColumns('status', 'State', 'Cause'), ...nextColumns('.status.next.at')],
});

export type Gate = NonNullable<(typeof Gate)['_object']>;
export type GateStatus = NonNullable<Gate['status']>;
export type GateContribution = NonNullable<GateStatus['contributions']>[number];
export type AuditRecord = NonNullable<GateStatus['history']>[number];
