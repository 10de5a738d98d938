import { z } from 'zod';
import { commitStatusGroup } from '../names.js';
import { commitStatusPhase } from '../promoter/fields.js';
import { fieldColumns, textColumn } from '../schema/columns.js';
import { commonStatus, readyColumns, repoRef } from '../schema/common.js';
import { defineKind } from '../schema/define.js';

export const CommitStatus = defineKind({
  group: commitStatusGroup,
  version: 'v1alpha1',
  kind: 'CommitStatus',
  plural: 'commitstatuses',
  shortNames: ['cs'],
  description: 'One fact about one commit, such as "it runs and is healthy", mirrored to the SCM.',
  spec: z.object({
    repoRef,
    sha: z
      .string()
      .min(4)
      .max(64)
      .regex(/^[0-9A-Za-z]+$/)
      .describe('The hydrated commit, in full.'),
    name: z.string().min(1).max(100).describe('Brief name, shown at the SCM.'),
    description: z.string().max(1024).optional().describe('Longer text, shown at the SCM.'),
    phase: commitStatusPhase.describe('State of the check.'),
    url: z
      .string()
      .max(2048)
      .regex(/^https?:\/\//)
      .optional()
      .describe('Where to read more.'),
  }),
  status: z.object({
    ...commonStatus,
    plugin: z
      .looseObject({
        github: z
          .object({
            checkRunId: z.int().optional().describe('The check run, where the credential is an App.'),
            statusId: z.int().optional().describe('The commit status, where it is a token.'),
          })
          .optional(),
        gitlab: z.object({ id: z.int().optional() }).optional(),
      })
      .optional()
      .meta({ 'x-kubernetes-preserve-unknown-fields': true })
      .describe('What the SCM plugin keeps.'),
    sha: z.string().max(64).optional().describe('The commit for which it was last sent.'),
    phase: commitStatusPhase.optional().describe('The phase last sent.'),
    digest: z.string().max(128).optional().describe('Digest of all that was last sent.'),
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
