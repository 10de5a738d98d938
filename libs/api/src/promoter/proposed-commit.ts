import { z } from 'zod';
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
  pullRequestTemplate,
} from './fields.js';

export const ProposedCommit = defineKind({
  group: promoterGroup,
  version: 'v1alpha1',
  kind: 'ProposedCommit',
  plural: 'proposedcommits',
  shortNames: ['pc'],
  description:
    'A commit that is a candidate for an environment branch: one per environment, made by the strategy.',
  spec: withRules(
    z.object({
      repoRef,
      proposedBranch: branchName('The branch with the proposed commit.'),
      activeBranch: branchName('The environment branch.'),
      activePath: activePath.optional(),
      proposedSHA: gitSha(
        'The commit of the proposed branch to promote, from a branch of its own; absent: the tip.',
      ).optional(),
      commitStatuses: z
        .object({
          proposed: commitStatusSelectors('Must be successful for the proposed commit.').optional(),
          active: commitStatusSelectors('Reported for the active commit.').optional(),
        })
        .optional()
        .describe(
          'For each key there must be exactly one CommitStatus with that key and the SHA, and it must be successful.',
        ),
      autoMerge: z.boolean().default(true).describe('Merge when all checks pass.'),
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
    proposed: commitState.optional().describe('What is on the proposed branch.'),
    active: commitState.optional().describe('What is on the environment branch.'),
    commitStatuses: listMap(
      z.object({
        key: z.string().describe('The key.'),
        phase: z
          .enum(['pending', ...commitStatusPhase.options])
          .describe(
            'Phase of its CommitStatus for the proposed commit; pending when there is not exactly one.',
          ),
      }),
      ['key'],
      64,
    )
      .optional()
      .describe('State of the keys asked for.'),
    checks: checks.optional(),
    history: z.array(historyEntry).max(5).optional().describe('What became active here, newest first.'),
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
