import * as z from 'zod';
import { promoterGroup } from '../names.js';
import {
  branchName,
  commitStatusKey,
  commonStatus,
  gitSha,
  readyColumns,
  repoRef,
  timestamp,
} from '../schema/common.js';
import { defineKind, withRules } from '../schema/define.js';
import { activePath, checks } from './fields.js';

const unchanged = (field: string) => ({
  rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
  message: `${field} is immutable; create another RevertCommit`,
});

const spec = withRules(
  z.object({
    repoRef,
    activeBranch: branchName('The environment branch.'),
    activePath: activePath.optional(),
    drySHA: gitSha(
      'Reverts to the newest commit of the environment branch that was hydrated from this dry commit.',
    ).optional(),
    hydratedSHA: gitSha('Reverts to this commit of the environment branch.').optional(),
    revertOf: gitSha(
      'The commit of the environment branch to revert. Defaults to the tip of the branch when the RevertCommit is first reconciled.',
    ).optional(),
    mode: z
      .enum(['PullRequest', 'Auto'])
      .default('PullRequest')
      .describe(
        'How the revert is merged. PullRequest: a user merges it. Auto: it is merged once all checks pass.',
      ),
    reason: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe('Reason for the revert. It appears in the pull request and in the commit.'),
    skipChecks: z
      .array(commitStatusKey)
      .max(32)
      .meta({ 'x-kubernetes-list-type': 'set' })
      .optional()
      .describe(
        'Proposed CommitStatuses that are not required for this revert. Only keys that skippableChecks of the revertPolicy of the strategy lists have an effect.',
      ),
    expiresAt: timestamp(
      'Time after which the RevertCommit no longer holds the environment. If the pull request is not merged by then, it is closed.',
    ).optional(),
  }),
  [
    {
      rule: '!(has(self.drySHA) && has(self.hydratedSHA))',
      message:
        'at most one of drySHA and hydratedSHA may be set; set neither to revert to the last healthy dry commit',
    },
    {
      rule: 'self.repoRef.name == oldSelf.repoRef.name && self.activeBranch == oldSelf.activeBranch',
      message: 'repoRef and activeBranch are immutable; create another RevertCommit',
    },
    unchanged('activePath'),
    unchanged('drySHA'),
    unchanged('hydratedSHA'),
    unchanged('revertOf'),
  ],
);

export const RevertCommit = defineKind({
  group: promoterGroup,
  version: 'v1alpha1',
  kind: 'RevertCommit',
  plural: 'revertcommits',
  description:
    'Takes an environment back to an earlier state by pull request, and holds it there until a newer dry commit arrives.',
  spec,
  status: z.object({
    ...commonStatus,
    target: z
      .object({
        drySHA: gitSha('The dry commit that the commit was hydrated from.').optional(),
        hydratedSHA: gitSha('The commit of the environment branch.'),
        treeSHA: gitSha('Git tree of the commit of the environment branch. The revert restores this tree.'),
      })
      .optional()
      .describe('What the environment is reverted to.'),
    revertOf: gitSha('The commit of the environment branch that is reverted.').optional(),
    rejectedDrySHA: gitSha(
      'The dry commit that the reverted commit was hydrated from. While the revert is in force, only dry commits after it are promoted to this environment.',
    ).optional(),
    revertSHA: gitSha(
      'The commit with the content of the target, on top of the environment branch.',
    ).optional(),
    branch: z.string().max(200).optional().describe('The branch that contains the commit of the revert.'),
    pullRequest: z.string().max(2048).optional().describe('URL of the pull request.'),
    state: z
      .enum(['Pending', 'Open', 'Merged', 'Rejected', 'Superseded', 'Expired'])
      .optional()
      .describe(
        'Pending: the pull request is not open yet. Merged: the environment was reverted. Rejected: a user closed the pull request. Superseded: a newer dry commit became active first. Expired: expiresAt was reached first.',
      ),
    inForce: z.boolean().optional().describe('Whether the RevertCommit holds the environment.'),
    checks: checks.optional(),
  }),
  printColumns: [
    { name: 'Branch', type: 'string', jsonPath: '.spec.activeBranch' },
    { name: 'Target', type: 'string', jsonPath: '.status.target.drySHA' },
    { name: 'Rejected', type: 'string', jsonPath: '.status.rejectedDrySHA', priority: 1 },
    { name: 'State', type: 'string', jsonPath: '.status.state' },
    { name: 'In Force', type: 'boolean', jsonPath: '.status.inForce' },
    {
      name: 'Waiting For',
      type: 'string',
      jsonPath: ".status.conditions[?(@.type=='Reverted')].message",
      priority: 1,
    },
    { name: 'URL', type: 'string', jsonPath: '.status.pullRequest', priority: 1 },
    ...readyColumns,
  ],
});

export type RevertCommit = NonNullable<(typeof RevertCommit)['_object']>;
export type RevertCommitStatus = NonNullable<RevertCommit['status']>;
export type RevertCommitState = NonNullable<RevertCommitStatus['state']>;
