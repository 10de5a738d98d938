import { z } from 'zod';
import { commitStatusKey, duration, folderPath, gitSha, timestamp } from '../schema/common.js';
import { listMap } from '../schema/define.js';

export const commitStatusPhase = z.enum(['queued', 'in_progress', 'success', 'failure', 'cancelled']);
export type CommitStatusPhase = z.output<typeof commitStatusPhase>;

export const commitStatusSelectors = (description: string) =>
  listMap(z.object({ key: commitStatusKey }), ['key'], 32).describe(description);

/** How pull requests are written; templates know {@link templateHelp}. */
export const pullRequestTemplate = z
  .object({
    titleTemplate: z.string().min(1).max(512).optional().describe('Template of the title.'),
    descriptionTemplate: z.string().min(1).max(8192).optional().describe('Template of the description.'),
    labels: z.array(z.string().min(1).max(50)).max(10).optional().describe('Labels to put on pull requests.'),
    mergeMethod: z
      .enum(['merge', 'squash', 'rebase'])
      .optional()
      .describe('How the SCM merges; default merge, which keeps the proposed commit in the history.'),
  })
  .describe(
    'How pull requests are written. Templates take {{ environment.branch }}, {{ environment.proposedBranch }}, ' +
      '{{ dry.sha }}, {{ dry.shortSHA }}, {{ dry.subject }}, {{ dry.author }}, {{ hydrated.sha }}, ' +
      '{{ hydrated.shortSHA }}, {{ active.dry.sha }} and {{ active.dry.shortSHA }}; an unknown name is an error.',
  );

/** The folder of an environment branch that belongs to a strategy. */
export const activePath = folderPath(
  'Folder of the environment branch that is promoted; what is beside it is left alone. Absent: the whole branch.',
);

/** What becomes of commits on an environment branch that no promotion made. */
export const driftPolicy = z
  .enum(['Overwrite', 'Block', 'Adopt'])
  .describe(
    'What becomes of commits on an environment branch that no promotion made: the next promotion overwrites them, waits until they are gone, or keeps them.',
  );

export const hold = z
  .object({ reason: z.string().min(1).max(512).describe('Why nothing is promoted here.') })
  .describe('Present: nothing is promoted to this environment until it is removed.');

/** When and how an environment is reverted. No schema defaults: an environment overrides field by field. */
export const revertPolicy = z
  .object({
    mode: z
      .enum(['Off', 'PullRequest', 'Auto'])
      .optional()
      .describe(
        'What happens when an active CommitStatus stays failed: nothing (Off, the default), a pull request that reverts for a person to merge (PullRequest), or one that is merged when its checks pass (Auto).',
      ),
    afterFailedFor: duration('How long the failure has to last, as a Go duration; default 5m.').optional(),
    maxPerHour: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('How many reverts of an environment may be begun within an hour; default 3.'),
    skippableChecks: commitStatusSelectors(
      'Proposed CommitStatuses that spec.skipChecks of a RevertCommit may leave out; default none.',
    ).optional(),
  })
  .describe('Reverts of this strategy or, overriding field by field, of this environment.');

/** One line of the decision, as people read it. */
export const check = z.object({
  name: z.string().max(128).describe('Forward, Order, Healthy, NotHeld, or the key of a CommitStatus.'),
  state: z.enum(['success', 'pending', 'failure']).describe('Whether this line allows the promotion.'),
  reason: z.string().max(128).describe('CamelCase word for programs.'),
  message: z.string().max(1024).describe('What it waits for, and what would release it.'),
  since: timestamp('When it entered this state.'),
});
export type Check = z.output<typeof check>;

export const checks = listMap(check, ['name'], 80).describe('The lines of the promotion decision.');

const aggregate = z
  .enum(['healthy', 'in-progress', 'failure'])
  .describe('Aggregate of the CommitStatuses asked for.');

export const commitState = z.object({
  drySHA: gitSha('The dry commit from which the hydrated commit was made.').optional(),
  hydratedSHA: gitSha(
    'The commit at the tip of the branch; with an activePath, the last one that changed the folder.',
  ).optional(),
  tipSHA: gitSha(
    'The commit at the tip of the branch, where that is a later one which left the folder alone.',
  ).optional(),
  commitStatus: aggregate.optional(),
});

export const historyEntry = z.object({
  sha: gitSha('The commit on the environment branch.'),
  time: timestamp('When it was committed.'),
  drySHA: gitSha('The dry commit that became active with it.').optional(),
  hydratedSHA: gitSha('The proposed commit that was merged.').optional(),
  subject: z.string().max(256).describe('First line of the commit message.'),
  author: z.string().max(256).describe('Who merged or committed it.'),
  pullRequest: z.string().max(2048).optional().describe('Address of the pull request.'),
});
export type HistoryEntry = z.output<typeof historyEntry>;
