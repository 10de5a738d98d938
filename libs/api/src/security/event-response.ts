import { z } from 'zod';
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

/** The stages of a change, finer than the phase. */
export const responseStages = [
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
  description: 'What is to be done about a SecurityEvent, and what became of it.',
  spec: withRules(
    z
      .looseObject({
        securityEventRef: securityEventRef.optional().describe('The event.'),
        responder: z
          .looseObject({
            kind: z.string().max(128).optional().describe('Kind of the responder.'),
            name: z.string().max(253).optional().describe('Which responder is meant (--responder-name).'),
          })
          .meta({ 'x-kubernetes-preserve-unknown-fields': true })
          .describe('Who responds.'),
        action: z
          .object({
            type: z.string().min(1).max(64).describe('GitOpsChange, or what another responder does.'),
            actionRef: z.string().max(253).optional().describe('Name of the action, which routes match.'),
            targetRef: objectReference.optional().describe('The object that is acted upon.'),
            parameters: z
              .record(z.string().max(256), z.string())
              .optional()
              .describe(
                'For GitOpsChange: path, contents, delete (and path1, contents1, ...), or changes, a JSON list; branch, commitTitle, commitBody, prTitle, prBody.',
              ),
          })
          .describe('What is to be done.'),
        retryPolicy: z
          .object({
            maxAttempts: z.int().min(1).max(100).default(3).describe('How often it is tried.'),
            backoffStrategy: z
              .enum(['Exponential', 'Fixed', 'None'])
              .default('Exponential')
              .describe('How delays grow.'),
            initialDelay: duration('Delay after the first attempt; default 10s.').optional(),
            maxDelay: duration('No delay is longer; default 5m.').optional(),
          })
          .optional(),
        maxAttempts: z
          .int()
          .min(1)
          .max(100)
          .optional()
          .describe('How often it is tried, if retryPolicy does not say so.'),
        parentResponseRef: objectReference.optional().describe('The response that this one continues.'),
      })
      .meta({ 'x-kubernetes-preserve-unknown-fields': true }),
    [{ rule: 'self == oldSelf', message: 'the spec of an EventResponse is immutable; make another one' }],
  ),
  status: z
    .looseObject({
      ...commonStatus,
      phase: z.enum(['Pending', 'Running', 'Succeeded', 'Failed', 'Cancelled']).optional(),
      stage: z.enum(responseStages).optional().describe('How far the change has come.'),
      attempts: z.int().optional().describe('How often it was tried; counted before each attempt.'),
      startedAt: timestamp('When the first attempt began.').optional(),
      lastAttemptAt: timestamp('When the last attempt began.').optional(),
      nextAttemptAt: timestamp('No attempt before.').optional(),
      waitingFor: z
        .enum(['Configuration', 'Credential'])
        .optional()
        .describe('What the operator has to correct; attempts that fail because of it do not count.'),
      lastRetryRequest: z
        .string()
        .max(256)
        .optional()
        .describe('Value of the annotation security.ugallu.io/retry-requested-at that was handled last.'),
      completedAt: timestamp('When the phase became final.').optional(),
      providerRef: z.string().max(2048).optional().describe('Address of the pull request.'),
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
          index: z.int().describe('Which route matched, from 0.'),
          matchDigest: z
            .string()
            .max(64)
            .optional()
            .describe('Digest of its match: the route is the same one when others come before it.'),
          config: z.string().max(253).describe('Name of the GitOpsResponderConfig.'),
          generation: z.int().optional().describe('Its generation.'),
          provider: z.string().max(64),
          host: z.string().max(253).optional().describe('Host of the server, where the route names one.'),
          repository: z.string().max(512),
          baseBranch: z.string().max(256),
        })
        .optional(),
      plan: z
        .object({
          digest: z.string().max(128).describe('SHA-256 of the operations.'),
          files: z
            .array(z.object({ path: z.string().max(4096), change: z.enum(['add', 'modify', 'delete']) }))
            .max(100)
            .optional(),
          added: z.int().optional().describe('Lines added.'),
          removed: z.int().optional().describe('Lines removed.'),
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
          title: z.string().max(1024).optional().describe('Provider noop: the title that it would have.'),
          body: z.string().max(65536).optional().describe('Provider noop: the text that it would have.'),
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
