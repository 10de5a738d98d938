import { z } from 'zod';
import { promoterGroup } from '../names.js';
import { fieldColumns, textColumn } from '../schema/columns.js';
import { branchName, commonStatus, gitSha, readyColumns, repoRef, timestamp } from '../schema/common.js';
import { defineKind, withRules } from '../schema/define.js';

const pluginId = z
  .object({ id: z.int().optional().describe('Number of the pull request at the SCM.') })
  .optional();

export const PullRequest = defineKind({
  group: promoterGroup,
  version: 'v1alpha1',
  kind: 'PullRequest',
  plural: 'pullrequests',
  description: 'A pull request at the SCM. Its controller is the only caller of the pull request API.',
  spec: withRules(
    z.object({
      repoRef: repoRef
        .optional()
        .describe('The repository; may be left out where the namespace has just one GitRepository.'),
      title: z.string().min(1).max(512).describe('Title.'),
      description: z.string().max(60000).optional().describe('Body, in Markdown.'),
      sourceBranch: branchName(
        'The branch to merge. When it changes, the pull request from the branch before is closed.',
      ),
      targetBranch: branchName('The branch to merge into.'),
      labels: z.array(z.string().min(1).max(50)).max(10).optional().describe('Labels to put on it.'),
      headSHA: gitSha(
        'The commit that is proposed. A pull request that was merged or closed is final for this commit; another commit opens a new one.',
      ).optional(),
      state: z
        .enum(['open', 'closed'])
        .default('open')
        .describe('closed: nothing is proposed any more; an open pull request is closed.'),
      merge: z
        .object({
          sha: gitSha('The only commit that may be merged.'),
          method: z.enum(['merge', 'squash', 'rebase']).default('merge').describe('How the SCM merges.'),
          message: z.string().max(30000).optional().describe('Message of the merge commit.'),
        })
        .optional()
        .describe('Present: merge this commit, if the rules still allow it at the moment of the merge.'),
    }),
    [
      {
        rule: 'self.sourceBranch != self.targetBranch',
        message: 'sourceBranch and targetBranch must be different',
      },
      {
        rule: 'self.targetBranch == oldSelf.targetBranch',
        message: 'targetBranch is immutable; make another PullRequest',
      },
    ],
  ),
  status: z.object({
    ...commonStatus,
    plugin: z
      .looseObject({ github: pluginId, gitlab: pluginId })
      .optional()
      .meta({ 'x-kubernetes-preserve-unknown-fields': true })
      .describe('What the SCM plugin keeps.'),
    repository: z
      .object({
        url: z.string().max(2048).describe('Address of the repository: its host, owner and name.'),
        id: z
          .string()
          .max(256)
          .optional()
          .describe("The SCM's own id of the repository, which stays when the repository is renamed."),
      })
      .optional()
      .describe(
        'The repository that the number of the pull request belongs to. In another repository the number means nothing.',
      ),
    sourceBranch: branchName('The branch that the pull request merges.').optional(),
    state: z.enum(['open', 'merged', 'closed']).optional().describe('State at the SCM.'),
    url: z.string().max(2048).optional().describe('Address for people.'),
    headSHA: gitSha('The commit at the head, when last looked.').optional(),
    mergeSHA: gitSha('The commit that the merge made.').optional(),
    merge: z
      .object({
        sha: gitSha('The commit whose merge was asked for.'),
        state: z
          .enum(['Refused', 'Queued'])
          .describe('Refused: the SCM does not merge it. Queued: it is in the merge queue of the SCM.'),
        reason: z.string().max(64).describe('Kind of refusal, such as Blocked, Behind or MergeConflict.'),
        message: z.string().max(1024).describe('What the SCM answered.'),
        since: timestamp('When the SCM first answered so for this commit.'),
        attempts: z.int().min(1).describe('Times that the merge of this commit was asked for.'),
        retryAt: timestamp('When the merge is asked for again at the latest; events of the SCM come first.'),
      })
      .optional()
      .describe('Why a pull request whose merge was asked for is not merged yet.'),
    mergedBy: z.string().max(256).optional().describe('Who merged it.'),
    labels: z
      .array(z.string().max(50))
      .max(10)
      .optional()
      .describe('Labels that were put on it; one that the spec no longer has is removed.'),
    createdAt: timestamp('When it was opened.').optional(),
    checkedAt: timestamp('When its state was last read from the SCM.').optional(),
    specDigest: z.string().max(128).optional().describe('Digest of the title, body and labels last sent.'),
  }),
  printColumns: [
    textColumn('Source', '.spec.sourceBranch'),
    textColumn('Target', '.spec.targetBranch'),
    ...fieldColumns('status', 'State'),
    textColumn('URL', '.status.url'),
    ...readyColumns,
  ],
});

export type PullRequest = NonNullable<(typeof PullRequest)['_object']>;
export type PullRequestStatus = NonNullable<PullRequest['status']>;
