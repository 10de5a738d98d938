import * as z from 'zod';
import { promoterGroup } from '../names.js';
import { branchName, commonStatus, gitSha, promotedColumns, repoRef } from '../schema/common.js';
import { defineKind, listMap, withRules } from '../schema/define.js';
import {
  activePath,
  checks,
  commitState,
  commitStatusPhase,
  commitStatusSelectors,
  driftPolicy,
  historyEntry,
  maxRequiredKeys,
  pullRequestTemplate,
} from './fields.js';

export const ProposedCommit = defineKind({
  group: promoterGroup,
  version: 'v1alpha1',
  kind: 'ProposedCommit',
  plural: 'proposedcommits',
  description:
    'A commit that is a candidate for an environment branch. The PromotionStrategy creates one ProposedCommit per environment.',
  spec: withRules(
    z.object({
      repoRef,
      proposedBranch: branchName('The branch that contains the proposed commit.'),
      activeBranch: branchName('The environment branch.'),
      activePath: activePath.optional(),
      proposedSHA: gitSha(
        'The commit of the proposed branch to promote, on a branch of its own. Defaults to the tip of the proposed branch.',
      ).optional(),
      commitStatuses: z
        .object({
          proposed: commitStatusSelectors(
            'Checks that the proposed commit must pass.',
            maxRequiredKeys,
          ).optional(),
          active: commitStatusSelectors(
            'Checks of the active commit, which are reported in the status.',
            maxRequiredKeys,
          ).optional(),
        })
        .optional()
        .describe(
          'Keys of the CommitStatuses that are required. For each key there must be exactly one CommitStatus for the commit, and it must be successful.',
        ),
      autoMerge: z
        .boolean()
        .default(true)
        .describe('Whether the pull request is merged automatically once all checks pass.'),
      pullRequest: pullRequestTemplate.optional(),
      driftPolicy: driftPolicy.default('Overwrite'),
    }),
    [
      {
        rule: 'self.proposedBranch != self.activeBranch',
        message: 'proposedBranch and activeBranch must be different',
      },
    ],
  ),
  status: z.object({
    ...commonStatus,
    proposed: commitState.optional().describe('State of the proposed branch.'),
    active: commitState.optional().describe('State of the environment branch.'),
    commitStatuses: listMap(
      z.object({
        key: z.string().describe('Key of the CommitStatus.'),
        phase: z
          .enum(['pending', ...commitStatusPhase.options])
          .describe(
            'Phase of the CommitStatus for the proposed commit. It is pending unless exactly one such CommitStatus exists.',
          ),
      }),
      ['key'],
      maxRequiredKeys,
    )
      .optional()
      .describe('State of the required keys.'),
    checks: checks.optional(),
    history: z
      .array(historyEntry)
      .max(5)
      .optional()
      .describe('The commits that became active in this environment, newest first.'),
  }),
  printColumns: [
    { name: 'Branch', type: 'string', jsonPath: '.spec.activeBranch' },
    { name: 'Active', type: 'string', jsonPath: '.status.active.drySHA' },
    { name: 'Proposed', type: 'string', jsonPath: '.status.proposed.drySHA' },
    ...promotedColumns,
  ],
});

export type ProposedCommit = NonNullable<(typeof ProposedCommit)['_object']>;
export type ProposedCommitStatus = NonNullable<ProposedCommit['status']>;
