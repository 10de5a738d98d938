import { z } from 'zod';
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
  message: `${field} is immutable; make another RevertCommit`,
});

const spec = withRules(
  z.object({
    repoRef,
    activeBranch: branchName('The environment branch.'),
    activePath: activePath.optional(),
    drySHA: gitSha(
      'Go back to the newest commit of the environment that was made from this dry commit.',
    ).optional(),
    hydratedSHA: gitSha('Go back to this commit of the environment branch.').optional(),
    revertOf: gitSha(
      'The commit of the environment branch that is not wanted; absent: the one at its tip when the RevertCommit is first looked at.',
    ).optional(),
    mode: z
      .enum(['PullRequest', 'Auto'])
      .default('PullRequest')
      .describe('PullRequest: a person merges; Auto: merged when all checks pass.'),
    reason: z.string().min(1).max(512).optional().describe('Why, for the pull request and the commit.'),
    skipChecks: z
      .array(commitStatusKey)
      .max(32)
      .meta({ 'x-kubernetes-list-type': 'set' })
      .optional()
      .describe(
        "Proposed CommitStatuses that need not be successful; only keys in skippableChecks of the strategy's revertPolicy count.",
      ),
    expiresAt: timestamp(
      'From then on it holds nothing any more; if it was not merged by then, its pull request is closed.',
    ).optional(),
  }),
  [
    {
      rule: '!(has(self.drySHA) && has(self.hydratedSHA))',
      message:
        'at most one of drySHA and hydratedSHA may be set; without them the last healthy dry commit is the target',
    },
    {
      rule: 'self.repoRef.name == oldSelf.repoRef.name && self.activeBranch == oldSelf.activeBranch',
      message: 'repoRef and activeBranch are immutable; make another RevertCommit',
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
  shortNames: ['rc'],
  description:
    'Takes an environment back to what it ran before, by pull request, and holds it there until a newer dry commit comes.',
  spec,
  status: z.object({
    ...commonStatus,
    target: z
      .object({
        drySHA: gitSha('The dry commit that it was made from.').optional(),
        hydratedSHA: gitSha('The commit.'),
        treeSHA: gitSha('Its tree, which the environment gets.'),
      })
      .optional()
      .describe('What the environment goes back to.'),
    revertOf: gitSha('The commit of the environment branch that is not wanted.').optional(),
    rejectedDrySHA: gitSha(
      'The dry commit that it was made from. Nothing but dry commits after it is promoted here while inForce.',
    ).optional(),
    revertSHA: gitSha(
      'The commit with the content of the target on top of the environment branch.',
    ).optional(),
    branch: z.string().max(200).optional().describe('The branch of that commit.'),
    pullRequest: z.string().max(2048).optional().describe('Address of the pull request.'),
    state: z
      .enum(['Pending', 'Open', 'Merged', 'Rejected', 'Superseded', 'Expired'])
      .optional()
      .describe(
        'Pending: no pull request yet. Merged: the environment was taken back. Rejected: a person closed the pull request. Superseded: a newer dry commit became active first. Expired: expiresAt came first.',
      ),
    inForce: z.boolean().optional().describe('Whether the environment is held.'),
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
