import * as z from 'zod';
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

const otherEnvironments = 'dependsOn must list other environments of this strategy';

const promotionStatusName = z
  .string()
  .min(1)
  .max(100)
  .describe('Name under which the SCM shows the rules of the strategy for this environment.');

const environment = withRules(
  z.object({
    branch: branchName('The branch that contains the hydrated manifests of the environment.'),
    autoMerge: z
      .boolean()
      .default(true)
      .describe(
        'Whether pull requests are merged automatically once all checks pass. If false, a user merges them.',
      ),
    activeCommitStatuses: commitStatusSelectors(
      'Checks that the active commit of this environment must pass before it is promoted to the next environment.',
    ).optional(),
    proposedCommitStatuses: commitStatusSelectors(
      'Checks that a proposed commit must pass before it is promoted to this environment.',
    ).optional(),
    dependsOn: z
      .array(branchName('Branch of another environment of this strategy.'))
      .max(16)
      .optional()
      .describe(
        'Environments that must run a change before this one. Defaults to the environment listed before this one; an empty list means none.',
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
        'Name under which the SCM shows the rules of the strategy, so that branch protection can require it. Defaults to promotion.',
      ),
    dryBranch: branchName('The branch that users edit. It defines the order of changes.').default('main'),
    activeCommitStatuses: commitStatusSelectors(
      'Checks of active commits, which apply to every environment.',
    ).optional(),
    proposedCommitStatuses: commitStatusSelectors(
      'Checks of proposed commits, which apply to every environment.',
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
        'Suffix that turns the name of an environment branch into the name of the branch with proposed commits. If activePath is set, a slash and activePath are appended.',
      ),
    activePath: activePath.optional(),
    pullRequest: pullRequestTemplate.optional(),
    driftPolicy: driftPolicy.default('Overwrite'),
    promotionPolicy: z
      .enum(['ReleaseLatest', 'FinishInFlight'])
      .default('ReleaseLatest')
      .describe(
        'What happens when a newer dry commit arrives. ReleaseLatest: it replaces the dry commit that is being promoted. FinishInFlight: it waits until the dry commit that is being promoted has reached every environment or cannot proceed.',
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
  active: commitState.optional().describe('State of the environment branch.'),
  proposed: commitState.optional().describe('State of the proposed branch.'),
  behind: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe(
      'Number of commits on the dry branch, along first parents, after the active dry commit. 100 means 100 or more. Unset if the active dry commit is not on the dry branch.',
    ),
  checks: checks.optional(),
  failingSince: timestamp('Since when an active CommitStatus of the active commit has failed.').optional(),
  lastHealthyDrySHAs: z
    .array(
      z.object({
        sha: gitSha('The dry commit.'),
        time: timestamp('When all active CommitStatuses were successful.'),
        hydratedSHA: gitSha('The commit of the environment branch.').optional(),
        treeSHA: gitSha('Git tree of the commit of the environment branch.').optional(),
      }),
    )
    .max(5)
    .optional()
    .describe('The dry commits that were healthy in this environment, newest first.'),
  history: z
    .array(historyEntry)
    .max(5)
    .optional()
    .describe('The commits that became active in this environment, newest first.'),
  lastFailure: z
    .object({
      sha: gitSha('The commit of the environment branch that failed.'),
      since: timestamp(
        'When an active CommitStatus failed. If none failed, when the commit was rolled back.',
      ),
      restoredAt: timestamp(
        'When all active CommitStatuses were successful again, or when the commit was rolled back. Unset while the failure lasts.',
      ).optional(),
    })
    .optional()
    .describe('The most recent deployment that failed in this environment.'),
});

export const PromotionStrategy = defineKind({
  group: promoterGroup,
  version: 'v1alpha1',
  kind: 'PromotionStrategy',
  plural: 'promotionstrategies',
  shortNames: ['ps'],
  description:
    'The order in which changes of a dry branch reach the environments of a repository, and the checks that they must pass.',
  spec,
  status: z.object({
    ...commonStatus,
    overtakenDrySHA: gitSha(
      'With FinishInFlight: the dry commit that was being promoted and could not proceed. Newer dry commits overtake it.',
    ).optional(),
    dryTipSHA: gitSha(
      'The commit at the tip of the dry branch. Unset if the branch does not exist.',
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
