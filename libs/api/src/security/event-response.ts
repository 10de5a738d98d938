import * as z from 'zod';
import { securityGroup } from '../names.js';
import { ageColumn, fieldColumns, textColumn } from '../schema/columns.js';
import { commonStatus, duration, timestamp } from '../schema/common.js';
import { defineKind, withRules } from '../schema/define.js';
import { securityEventRef } from './security-event.js';

const objectReference = z
  .looseObject({
    apiVersion: z.string().max(256).optional(),
    kind: z.string().max(128).optional(),
    name: z.string().max(2_000_000).optional(),
    namespace: z.string().max(256).optional(),
  })
  .meta({ 'x-kubernetes-preserve-unknown-fields': true });

/** The stages of a change, which are more detailed than the phase. */
const responseStages = [
  'Routed',
  'Planned',
  'AwaitingGate',
  'Submitted',
  'Merged',
  'Rejected',
  'Superseded',
] as const;

const evidence = z.object({
  mediaType: z.string().max(256),
  url: z.string().max(2048),
  sha256: z.string().max(64).optional(),
  size: z.int().optional(),
});

export const EventResponse = defineKind({
  group: securityGroup,
  version: 'v1alpha1',
  kind: 'EventResponse',
  plural: 'eventresponses',
  shortNames: ['er'],
  namespaced: false,
  description: 'A response to a SecurityEvent, and its progress.',
  spec: withRules(
    z
      .looseObject({
        securityEventRef: securityEventRef.optional().describe('The event that is responded to.'),
        responder: z
          .looseObject({
            kind: z.string().max(128).optional().describe('Kind of the responder.'),
            name: z.string().max(253).optional().describe('Name of the responder (--responder-name).'),
          })
          .meta({ 'x-kubernetes-preserve-unknown-fields': true })
          .describe('The responder.'),
        action: z
          .object({
            type: z
              .string()
              .min(1)
              .max(64)
              .describe(
                'Type of the action. GitOpsChange is handled by the GitOps responder; other types belong to other responders.',
              ),
            actionRef: z.string().max(253).optional().describe('Name of the action, which routes can match.'),
            targetRef: objectReference.optional().describe('The object that the action changes.'),
            parameters: z
              .record(z.string().max(256), z.string())
              .optional()
              .describe(
                'Parameters of the action. For GitOpsChange: path, contents and delete (then path1, contents1, ...), or changes as a JSON list; optionally branch, commitTitle, commitBody, prTitle and prBody.',
              ),
          })
          .describe('The requested action.'),
        retryPolicy: z
          .object({
            maxAttempts: z.int().min(1).max(100).default(3).describe('Maximum number of attempts.'),
            backoffStrategy: z
              .enum(['Exponential', 'Fixed', 'None'])
              .default('Exponential')
              .describe('How the delay grows between attempts.'),
            initialDelay: duration('Delay after the first attempt. Defaults to 10s.').optional(),
            maxDelay: duration('Longest delay between attempts. Defaults to 5m.').optional(),
          })
          .optional(),
        maxAttempts: z
          .int()
          .min(1)
          .max(100)
          .optional()
          .describe('Maximum number of attempts if retryPolicy is not set. Defaults to 3.'),
        parentResponseRef: objectReference.optional().describe('The response that this one continues.'),
      })
      .meta({ 'x-kubernetes-preserve-unknown-fields': true }),
    [{ rule: 'self == oldSelf', message: 'the spec of an EventResponse is immutable; create another one' }],
  ),
  status: z
    .looseObject({
      ...commonStatus,
      phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Cancelled']).optional(),
      stage: z.enum(responseStages).optional().describe('How far the change has progressed.'),
      attempts: z.int().optional().describe('Number of attempts, which is increased before each attempt.'),
      startedAt: timestamp('When the first attempt began.').optional(),
      lastAttemptAt: timestamp('When the latest attempt began.').optional(),
      nextAttemptAt: timestamp('The next attempt does not begin before this time.').optional(),
      waitingFor: z
        .enum(['Configuration', 'Credential'])
        .optional()
        .describe('A problem that the operator must correct. Attempts that fail because of it do not count.'),
      lastRetryRequest: z
        .string()
        .max(256)
        .optional()
        .describe('The value of the annotation security.ugallu.io/retry-requested-at that was last handled.'),
      completedAt: timestamp('When the phase became final.').optional(),
      providerRef: z.string().max(2048).optional().describe('URL of the pull request.'),
      outcome: z
        .object({
          type: z.enum(['ActionTaken', 'NoActionNeeded', 'Skipped', 'Errored']),
          message: z.string().max(2048).optional(),
        })
        .optional(),
      error: z
        .object({
          type: z.enum(['Transient', 'Permanent', 'Conflicting', 'Unauthorized']),
          reason: z.string().max(256).optional(),
          detail: z.string().max(2048).optional(),
        })
        .optional(),
      route: z
        .object({
          index: z.int().describe('Index of the matching route, starting at 0.'),
          matchDigest: z
            .string()
            .max(64)
            .optional()
            .describe(
              'Digest of the match of the route. It identifies the route even if other routes are inserted before it.',
            ),
          config: z.string().max(253).describe('Name of the GitOpsResponderConfig.'),
          generation: z.int().optional().describe('Generation of the GitOpsResponderConfig.'),
          provider: z.string().max(64),
          host: z.string().max(253).optional().describe('Host of the server, if the route names one.'),
          repository: z.string().max(512),
          baseBranch: z.string().max(256),
        })
        .optional(),
      plan: z
        .object({
          digest: z.string().max(128).describe('SHA-256 digest of the operations.'),
          files: z
            .array(z.object({ path: z.string().max(4096), change: z.enum(['add', 'modify', 'delete']) }))
            .max(100)
            .optional(),
          added: z.int().optional().describe('Number of added lines.'),
          removed: z.int().optional().describe('Number of removed lines.'),
        })
        .optional(),
      changeRequest: z
        .object({
          number: z.int().optional(),
          url: z.string().max(2048).optional(),
          branch: z.string().max(256).optional(),
          headSHA: z.string().max(64).optional(),
          state: z.enum(['open', 'merged', 'closed']).optional(),
          mergedSHA: z.string().max(64).optional(),
          title: z
            .string()
            .max(1024)
            .optional()
            .describe('With provider noop: the title that the pull request would have.'),
          body: z
            .string()
            .max(65536)
            .optional()
            .describe('With provider noop: the description that the pull request would have.'),
        })
        .optional(),
      evidence: z.array(evidence).max(32).optional(),
      cancelReason: z.string().max(1024).optional(),
    })
    .meta({ 'x-kubernetes-preserve-unknown-fields': true }),
  printColumns: [
    textColumn('Action', '.spec.action.type'),
    ...fieldColumns('status', 'Phase', 'Stage'),
    textColumn('Outcome', '.status.outcome.type'),
    textColumn('Responder', '.spec.responder.name'),
    { name: 'Attempts', type: 'integer', jsonPath: '.status.attempts' },
    { ...textColumn('URL', '.status.providerRef'), priority: 1 },
    ageColumn,
  ],
});

export type EventResponse = NonNullable<(typeof EventResponse)['_object']>;
export type EventResponseStatus = NonNullable<EventResponse['status']>;
