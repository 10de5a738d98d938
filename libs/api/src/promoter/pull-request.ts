import * as z from 'zod';
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
  description: 'A pull request at the SCM. Only its controller calls the pull request API.',
  spec: withRules(
    z.object({
      repoRef: repoRef
        .optional()
        .describe('The repository. It can be omitted if the namespace contains exactly one GitRepository.'),
      title: z.string().min(1).max(512).describe('Title of the pull request.'),
      description: z.string().max(60000).optional().describe('Description of the pull request, in Markdown.'),
      sourceBranch: branchName(
        'The branch to merge. If it changes, the pull request from the previous branch is closed.',
      ),
      targetBranch: branchName('The branch to merge into.'),
      labels: z.array(z.string().min(1).max(50)).max(10).optional().describe('Labels of the pull request.'),
      headSHA: gitSha(
        'The proposed commit. A merged or closed pull request is final for this commit; a new commit opens another pull request.',
      ).optional(),
      state: z
        .enum(['open', 'closed'])
        .default('open')
        .describe(
          'Desired state. closed: there is nothing to propose any more, and an open pull request is closed.',
        ),
      merge: z
        .object({
          sha: gitSha('The only commit that may be merged.'),
          method: z.enum(['merge', 'squash', 'rebase']).default('merge').describe('Merge method of the SCM.'),
          message: z.string().max(30000).optional().describe('Message of the merge commit.'),
        })
        .optional()
        .describe(
          'Requests the merge of this commit. It is merged only if the rules still allow it at that moment.',
        ),
    }),
    [
      {
        rule: 'self.sourceBranch != self.targetBranch',
        message: 'sourceBranch and targetBranch must be different',
      },
      {
        rule: 'self.targetBranch == oldSelf.targetBranch',
        message: 'targetBranch is immutable; create another PullRequest',
      },
    ],
  ),
  status: z.object({
    ...commonStatus,
    plugin: z
      .looseObject({ github: pluginId, gitlab: pluginId })
      .optional()
      .meta({ 'x-kubernetes-preserve-unknown-fields': true })
      .describe('Data that the SCM plugin stores.'),
    repository: z
      .object({
        url: z.string().max(2048).describe('Address of the repository: host, owner and name.'),
        id: z
          .string()
          .max(256)
          .optional()
          .describe('ID of the repository at the SCM. It does not change when the repository is renamed.'),
      })
      .optional()
      .describe(
        'The repository that the number of the pull request belongs to. The number is meaningless in any other repository.',
      ),
    sourceBranch: branchName('The source branch of the pull request.').optional(),
    state: z.enum(['open', 'merged', 'closed']).optional().describe('State of the pull request at the SCM.'),
    url: z.string().max(2048).optional().describe('URL of the pull request.'),
    headSHA: gitSha('The head commit when the pull request was last read.').optional(),
    mergeSHA: gitSha('The commit that the merge created.').optional(),
    merge: z
      .object({
        sha: gitSha('The commit whose merge was requested.'),
        state: z
          .enum(['Refused', 'Queued'])
          .describe(
            'Result of the request. Refused: the SCM does not merge the commit. Queued: the commit is in the merge queue of the SCM.',
          ),
        reason: z.string().max(64).describe('Kind of refusal, such as Blocked, Behind or MergeConflict.'),
        message: z.string().max(1024).describe('The answer of the SCM.'),
        since: timestamp('When the SCM first gave this answer for this commit.'),
        attempts: z.int().min(1).describe('Number of requests to merge this commit.'),
        retryAt: timestamp(
          'Latest time at which the merge is requested again. An event of the SCM triggers an earlier request.',
        ),
      })
      .optional()
      .describe('Why a pull request is not merged yet although its merge was requested.'),
    mergedBy: z.string().max(256).optional().describe('User who merged the pull request.'),
    labels: z
      .array(z.string().max(50))
      .max(10)
      .optional()
      .describe(
        'Labels that the controller added. A label that is removed from the spec is removed from the pull request.',
      ),
    createdAt: timestamp('When the pull request was opened.').optional(),
    checkedAt: timestamp('When the state was last read from the SCM.').optional(),
    specDigest: z
      .string()
      .max(128)
      .optional()
      .describe('Digest of the title, description and labels that were last sent.'),
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
