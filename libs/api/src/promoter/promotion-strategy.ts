import { z } from 'zod';
import { promoterGroup } from '../names.js';
import { branchName, commonStatus, gitSha, promotedColumns, repoRef, timestamp } from '../schema/common.js';
import { defineKind, listMap, withRules } from '../schema/define.js';
import {
  activePath,
  checks,
  commitState,
  commitStatusSelectors,
  driftPolicy,
  historyEntry,
  hold,
  pullRequestTemplate,
  revertPolicy,
} from './fields.js';

const otherEnvironments = 'dependsOn must name other environments of this strategy';

const promotionStatusName = z
  .string()
  .min(1)
  .max(100)
  .describe('Name under which the SCM shows the rules of the strategy for this environment.');

const environment = withRules(
  z.object({
    branch: branchName("The branch that holds the environment's hydrated manifests."),
    autoMerge: z
      .boolean()
      .default(true)
      .describe('Merge when all checks pass; false: a person presses the button.'),
    activeCommitStatuses: commitStatusSelectors(
      'Checks of the commit that runs here, before it may go to the next environment.',
    ).optional(),
    proposedCommitStatuses: commitStatusSelectors(
      'Checks of a proposed commit, before it may come to this environment.',
    ).optional(),
    dependsOn: z
      .array(branchName('Branch of another environment of this strategy.'))
      .max(16)
      .optional()
      .describe(
        'Environments that must run a change before this one; absent: the one listed before; []: none.',
      ),
    activePath: activePath.optional(),
    hold: hold.optional(),
    driftPolicy: driftPolicy.optional(),
    pullRequest: pullRequestTemplate.optional(),
    revertPolicy: revertPolicy.optional(),
    promotionStatusName: promotionStatusName.optional(),
  }),
  [{ rule: '!has(self.dependsOn) || !(self.branch in self.dependsOn)', message: otherEnvironments }],
);

const spec = withRules(
  z.object({
    repoRef,
    promotionStatusName: promotionStatusName
      .optional()
      .describe(
        'Name under which the SCM shows the rules of the strategy, for branch protection to require; default promotion.',
      ),
    dryBranch: branchName('The branch that people edit, and along which changes are ordered.').default(
      'main',
    ),
    activeCommitStatuses: commitStatusSelectors(
      'Checks of active commits, for every environment.',
    ).optional(),
    proposedCommitStatuses: commitStatusSelectors(
      'Checks of proposed commits, for every environment.',
    ).optional(),
    environments: listMap(environment, ['branch'], 32)
      .min(1)
      .describe('The environments, in the order in which changes reach them.'),
    proposedBranchSuffix: z
      .string()
      .min(1)
      .max(32)
      .regex(/^[-A-Za-z0-9_./]+$/)
      .default('-next')
      .describe(
        'Appended to an environment branch, gives the branch with the proposed commits; with an activePath, that follows after a slash.',
      ),
    activePath: activePath.optional(),
    pullRequest: pullRequestTemplate.optional(),
    driftPolicy: driftPolicy.default('Overwrite'),
    promotionPolicy: z
      .enum(['ReleaseLatest', 'FinishInFlight'])
      .default('ReleaseLatest')
      .describe(
        'ReleaseLatest: a newer dry commit replaces the one on its way; FinishInFlight: it waits until that has reached every environment, or cannot.',
      ),
    revertPolicy: revertPolicy.optional(),
  }),
  [
    {
      rule: 'self.environments.all(e, !has(e.dependsOn) || e.dependsOn.all(d, d in self.environments.map(o, o.branch)))',
      message: `environments[].${otherEnvironments}`,
    },
    {
      rule: 'self.environments.all(e, e.branch != self.dryBranch)',
      message: 'an environment branch must not be the dry branch',
    },
  ],
);

const environmentStatus = z.object({
  branch: z.string().describe('The environment branch.'),
  active: commitState.optional().describe('What is on the environment branch.'),
  proposed: commitState.optional().describe('What is on the proposed branch.'),
  behind: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe(
      'How many commits of the dry branch, by first parents, come after the active dry commit; 100 means 100 or more. Absent when that commit is not on the dry branch.',
    ),
  checks: checks.optional(),
  failingSince: timestamp('Since when an active CommitStatus of the active commit is failed.').optional(),
  lastHealthyDrySHAs: z
    .array(
      z.object({
        sha: gitSha('The dry commit.'),
        time: timestamp('When all active CommitStatuses were successful.'),
        hydratedSHA: gitSha('The commit of the environment branch.').optional(),
        treeSHA: gitSha('Its tree.').optional(),
      }),
    )
    .max(5)
    .optional()
    .describe('The dry commits that were healthy here, newest first.'),
  history: z.array(historyEntry).max(5).optional().describe('What became active here, newest first.'),
  lastFailure: z
    .object({
      sha: gitSha('The commit of the environment branch that failed.'),
      since: timestamp('When an active CommitStatus failed; where none did, when it was rolled back.'),
      restoredAt: timestamp(
        'When all active CommitStatuses were successful again, or it was rolled back; absent while the failure lasts.',
      ).optional(),
    })
    .optional()
    .describe('The last deployment that failed here.'),
});

export const PromotionStrategy = defineKind({
  group: promoterGroup,
  version: 'v1alpha1',
  kind: 'PromotionStrategy',
  plural: 'promotionstrategies',
  shortNames: ['ps'],
  description:
    'The order in which changes of a dry branch reach the environments of a repository, and the checks on the way.',
  spec,
  status: z.object({
    ...commonStatus,
    overtakenDrySHA: gitSha(
      'Under FinishInFlight: the dry commit that was on its way and could not go on; newer ones overtake it.',
    ).optional(),
    dryTipSHA: gitSha(
      'The commit at the tip of the dry branch; absent when there is no such branch.',
    ).optional(),
    environments: listMap(environmentStatus, ['branch'], 32)
      .optional()
      .describe('State of each environment.'),
  }),
  printColumns: [
    { name: 'Repository', type: 'string', jsonPath: '.spec.repoRef.name' },
    { name: 'Dry Branch', type: 'string', jsonPath: '.spec.dryBranch', priority: 1 },
    ...promotedColumns,
  ],
});

export type PromotionStrategy = NonNullable<(typeof PromotionStrategy)['_object']>;
export type PromotionEnvironment = PromotionStrategy['spec']['environments'][number];
export type PromotionStrategyStatus = NonNullable<PromotionStrategy['status']>;
export type EnvironmentStatus = NonNullable<PromotionStrategyStatus['environments']>[number];
