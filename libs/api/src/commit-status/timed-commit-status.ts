import * as z from 'zod';
import { commitStatusGroup } from '../names.js';
import { branchName, commitStatusKey, commonStatus, timestamp } from '../schema/common.js';
import { defineKind, listMap, withRules } from '../schema/define.js';
import { environmentReport, sourceColumns, sourcePhase, sourceSpec } from './sources.js';

const duration = withRules(
  z
    .string()
    .max(32)
    .regex(/^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$/)
    .describe(
      'How long the environment must be healthy without interruption, such as 90s, 30m or 1h30m. At most 8760h.',
    ),
  [{ rule: "duration(self) <= duration('8760h')", message: 'a duration must not be longer than 8760h' }],
);

const watchedStatus = z.object({
  key: commitStatusKey,
  uid: z.string().max(128).describe('UID of the CommitStatus.'),
  generation: z
    .int()
    .describe(
      'Generation of the CommitStatus when it was last read. An increase by more than one means that a state in between was not observed.',
    ),
});

export const TimedCommitStatus = defineKind({
  group: commitStatusGroup,
  version: 'v1alpha1',
  kind: 'TimedCommitStatus',
  plural: 'timedcommitstatuses',
  shortNames: ['tcs'],
  description:
    'Writes a CommitStatus for each environment of a PromotionStrategy. It is successful once the environment has been healthy for a given time without interruption.',
  spec: z.object({
    ...sourceSpec('timer'),
    environments: listMap(
      z.object({ branch: branchName('The environment branch.'), duration }),
      ['branch'],
      32,
    )
      .min(1)
      .describe('How long each environment must be healthy. Environments that are not listed do not wait.'),
  }),
  status: z.object({
    ...commonStatus,
    phase: sourcePhase.optional(),
    environments: listMap(
      z.object({
        ...environmentReport,
        healthySince: timestamp(
          'Since when the environment has been healthy with this commit. Unset while it is not healthy.',
        ).optional(),
        healthyUntil: timestamp(
          'When the environment will have been healthy for long enough, or when it was.',
        ).optional(),
        watched: z
          .array(watchedStatus)
          .max(64)
          .optional()
          .describe('The CommitStatuses that report the health.'),
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
