import * as z from 'zod';
import { commitStatusGroup } from '../names.js';
import { commitStatusPhase } from '../promoter/fields.js';
import { fieldColumns, textColumn } from '../schema/columns.js';
import { commonStatus, readyColumns, repoRef, timestamp } from '../schema/common.js';
import { defineKind } from '../schema/define.js';

export const CommitStatus = defineKind({
  group: commitStatusGroup,
  version: 'v1alpha1',
  kind: 'CommitStatus',
  plural: 'commitstatuses',
  description: 'One fact about one commit, such as "deployed and healthy". It is mirrored to the SCM.',
  spec: z.object({
    repoRef,
    sha: z
      .string()
      .min(4)
      .max(64)
      .regex(/^[0-9A-Za-z]+$/)
      .describe('Full SHA of the hydrated commit.'),
    name: z.string().min(1).max(100).describe('Short name that the SCM shows.'),
    description: z.string().max(1024).optional().describe('Longer text that the SCM shows.'),
    phase: commitStatusPhase.describe('Phase of the check.'),
    url: z
      .string()
      .max(2048)
      .regex(/^https?:\/\//)
      .optional()
      .describe('URL of a page with details.'),
    validUntil: timestamp(
      'When a success ends unless its reporter renews it, such as the start of a change freeze. From then on it counts as in_progress.',
    ).optional(),
  }),
  status: z.object({
    ...commonStatus,
    plugin: z
      .looseObject({
        github: z
          .object({
            checkRunId: z
              .int()
              .optional()
              .describe('ID of the check run, if the credential is a GitHub App.'),
            statusId: z.int().optional().describe('ID of the commit status, if the credential is a token.'),
          })
          .optional(),
        gitlab: z.object({ id: z.int().optional() }).optional(),
      })
      .optional()
      .meta({ 'x-kubernetes-preserve-unknown-fields': true })
      .describe('Data that the SCM plugin stores.'),
    sha: z.string().max(64).optional().describe('The commit that the status was last sent for.'),
    phase: commitStatusPhase.optional().describe('The phase that was last sent.'),
    digest: z.string().max(128).optional().describe('Digest of everything that was last sent.'),
  }),
  printColumns: [
    textColumn('Key', '.metadata.labels.commit-status\\.argoproj\\.io/key'),
    textColumn('SHA', '.spec.sha'),
    ...fieldColumns('spec', 'Phase'),
    ...readyColumns,
  ],
});

export type CommitStatus = NonNullable<(typeof CommitStatus)['_object']>;
export type CommitStatusResourceStatus = NonNullable<CommitStatus['status']>;
