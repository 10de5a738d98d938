import * as z from 'zod';
import { commitStatusKey, duration, folderPath, gitSha, timestamp } from '../schema/common.js';
import { listMap } from '../schema/define.js';

export const commitStatusPhase = z.enum(['queued', 'in_progress', 'success', 'failure', 'cancelled']);
export type CommitStatusPhase = z.output<typeof commitStatusPhase>;

/** How many keys a list of a strategy, or of one of its environments, may name. */
const maxKeys = 32;
/** How many keys a ProposedCommit requires: those of its strategy and of its environment, and `promotion`. */
export const maxRequiredKeys = 2 * maxKeys + 1;

export const commitStatusSelectors = (description: string, maxItems = maxKeys) =>
  listMap(z.object({ key: commitStatusKey }), ['key'], maxItems).describe(description);

/** How pull requests are written. {@link templateHelp} lists the placeholders of the templates. */
export const pullRequestTemplate = z
  .object({
    titleTemplate: z.string().min(1).max(512).optional().describe('Template of the title.'),
    descriptionTemplate: z.string().min(1).max(8192).optional().describe('Template of the description.'),
    labels: z.array(z.string().min(1).max(50)).max(10).optional().describe('Labels of the pull requests.'),
    mergeMethod: z
      .enum(['merge', 'squash', 'rebase'])
      .optional()
      .describe(
        'Merge method of the SCM. Defaults to merge, which keeps the proposed commit in the history.',
      ),
  })
  .describe(
    'How pull requests are written. Available placeholders are {{ environment.branch }}, {{ environment.proposedBranch }}, ' +
      '{{ dry.sha }}, {{ dry.shortSHA }}, {{ dry.subject }}, {{ dry.author }}, {{ hydrated.sha }}, ' +
      '{{ hydrated.shortSHA }}, {{ active.dry.sha }} and {{ active.dry.shortSHA }}. An unknown placeholder is an error.',
  );

/** The folder of an environment branch that belongs to a strategy. */
export const activePath = folderPath(
  'Folder of the environment branch that is promoted. Files outside of it are not changed. Defaults to the whole branch.',
);

/** How commits on an environment branch that no promotion created are handled. */
export const driftPolicy = z
  .enum(['Overwrite', 'Block', 'Adopt'])
  .describe(
    'What happens to commits on an environment branch that no promotion created: the next promotion overwrites them, waits until they are removed, or keeps them.',
  );

export const hold = z
  .object({
    reason: z.string().min(1).max(512).describe('Why promotions to this environment are paused.'),
  })
  .describe('Pauses promotions to this environment until this field is removed.');

/**
 * When and how an environment is reverted. There are no schema defaults, because an environment overrides single
 * fields.
 */
export const revertPolicy = z
  .object({
    mode: z
      .enum(['Off', 'PullRequest', 'Auto'])
      .optional()
      .describe(
        'What happens when an active CommitStatus stays failed. Off (the default): nothing. PullRequest: a pull request that reverts the environment is opened, and a user merges it. Auto: it is merged once its checks pass.',
      ),
    afterFailedFor: duration('How long the failure must last, as a Go duration. Defaults to 5m.').optional(),
    maxPerHour: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('Number of reverts of an environment that may begin within an hour. Defaults to 3.'),
    skippableChecks: commitStatusSelectors(
      'Proposed CommitStatuses that spec.skipChecks of a RevertCommit may skip. Defaults to none.',
    ).optional(),
  })
  .describe(
    'How environments are reverted. The fields of an environment override those of the strategy one by one.',
  );

/** One check of the decision, as users read it. */
const check = z.object({
  name: z.string().max(128).describe('Forward, Order, Healthy, NotHeld, or the key of a CommitStatus.'),
  state: z.enum(['success', 'pending', 'failure']).describe('Whether this check allows the promotion.'),
  reason: z.string().max(128).describe('Machine-readable reason in CamelCase.'),
  message: z.string().max(1024).describe('What the promotion waits for, and what would release it.'),
  since: timestamp('When the check entered this state.'),
});
export type Check = z.output<typeof check>;

export const checks = listMap(check, ['name'], 80).describe('The checks of the promotion decision.');

const aggregate = z
  .enum(['healthy', 'in-progress', 'failure'])
  .describe('Aggregate of the required CommitStatuses.');

export const commitState = z.object({
  drySHA: gitSha('The dry commit that the hydrated commit was made from.').optional(),
  hydratedSHA: gitSha(
    'The commit at the tip of the branch. If activePath is set, the last commit that changed the folder.',
  ).optional(),
  tipSHA: gitSha(
    'The commit at the tip of the branch, if it is later than hydratedSHA and did not change the folder.',
  ).optional(),
  commitStatus: aggregate.optional(),
});

export const historyEntry = z.object({
  sha: gitSha('The commit on the environment branch.'),
  time: timestamp('When it was committed.'),
  drySHA: gitSha('The dry commit that became active with it.').optional(),
  hydratedSHA: gitSha('The proposed commit that was merged.').optional(),
  subject: z.string().max(256).describe('First line of the commit message.'),
  author: z.string().max(256).describe('User who merged or committed it.'),
  pullRequest: z.string().max(2048).optional().describe('URL of the pull request.'),
});
export type HistoryEntry = z.output<typeof historyEntry>;
