import { z } from 'zod';
import { commitStatusGroup } from '../names.js';
import { branchName, commitStatusKey, commonStatus, timestamp } from '../schema/common.js';
import { defineKind, listMap, withRules } from '../schema/define.js';
import { environmentReport, sourceColumns, sourcePhase, sourceSpec } from './sources.js';

const duration = withRules(
  z
    .string()
    .max(32)
    .regex(/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/)
    .describe('How long it has to be healthy without a break, such as 90s, 30m or 1h30m; at most 8760h.'),
  [{ rule: "duration(self) <= duration('8760h')", message: 'a duration must not be longer than 8760h' }],
);

const watchedStatus = z.object({
  key: commitStatusKey,
  uid: z.string().max(128).describe('Uid of the CommitStatus.'),
  generation: z
    .int()
    .describe('Its generation when last looked: a step of more than one hides a state nobody saw.'),
});

export const TimedCommitStatus = defineKind({
  group: commitStatusGroup,
  version: 'v1alpha1',
  kind: 'TimedCommitStatus',
  plural: 'timedcommitstatuses',
  shortNames: ['tcs'],
  description:
    'Writes a CommitStatus for each environment of a strategy, successful when the environment has been healthy for a while without a break.',
  spec: z.object({
    ...sourceSpec('timer'),
    environments: listMap(
      z.object({ branch: branchName('The environment branch.'), duration }),
      ['branch'],
      32,
    )
      .min(1)
      .describe('How long each environment has to be healthy; one that is not listed need not wait.'),
  }),
  status: z.object({
    ...commonStatus,
    phase: sourcePhase.optional(),
    environments: listMap(
      z.object({
        ...environmentReport,
        healthySince: timestamp(
          'Since when it has been healthy on this commit; absent: it is not.',
        ).optional(),
        healthyUntil: timestamp('When it will have been healthy for long enough, or was.').optional(),
        watched: z.array(watchedStatus).max(64).optional().describe('The CommitStatuses that say so.'),
      }),
      ['branch'],
      32,
    )
      .optional()
      .describe('State of each environment.'),
  }),
  printColumns: [...sourceColumns],
});

export type TimedCommitStatus = NonNullable<(typeof TimedCommitStatus)['_object']>;
export type TimedCommitStatusStatus = NonNullable<TimedCommitStatus['status']>;
export type TimedEnvironment = NonNullable<TimedCommitStatusStatus['environments']>[number];
