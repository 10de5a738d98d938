import { z } from 'zod';
import { securityGroup } from '../names.js';
import { branchName, commonStatus, duration, objectName, readyColumns, timestamp } from '../schema/common.js';
import { defineKind, withRules } from '../schema/define.js';
import { severities } from './security-event.js';

const secretRef = (description: string) =>
  z.object({ name: objectName('Name of the Secret, in the same namespace.') }).describe(description);

const match = z
  .object({
    actionRef: z.string().max(253).optional().describe('action.actionRef of the response.'),
    eventClass: z.string().max(64).optional().describe('class of the event.'),
    eventType: z.string().max(128).optional().describe('type of the event.'),
    severity: z.array(z.enum(severities)).max(5).optional().describe('One of these severities.'),
    subjectKind: z.string().max(128).optional().describe('Kind of the subject.'),
    subjectNamespace: z
      .string()
      .max(256)
      .optional()
      .describe('Namespace of the subject; * stands for any text.'),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe('Labels that the response or the subject has.'),
    expr: z.string().min(1).max(2048).optional().describe('CEL over event, subject and response.'),
  })
  .describe('All that is given has to hold; nothing given: every response.');

const provider = withRules(
  z.object({
    kind: z.enum(['github-app', 'github-pat', 'gitlab', 'gitea', 'noop']),
    host: z
      .string()
      .max(253)
      .regex(/^(https?:\/\/)?[A-Za-z0-9][-A-Za-z0-9.]*(:[0-9]{1,5})?$/)
      .optional()
      .describe('Host of the server, where it is not github.com or gitlab.com.'),
    repository: z
      .string()
      .max(512)
      .regex(/^[^\s/]+(\/[^\s/]+)+$/)
      .describe('owner/name; at GitLab also with subgroups.'),
    baseBranch: branchName('Branch of the pull request.').default('main'),
    appCredentialsRef: secretRef(
      'GitHub App: app-id (or client-id), private-key.pem, installation-id.',
    ).optional(),
    credentialsRef: secretRef('Any other credential: token.').optional(),
    installationID: z
      .int()
      .min(1)
      .optional()
      .describe('Installation of the GitHub App; absent: the one of the Secret, or of the repository.'),
  }),
  [
    {
      rule: "self.kind != 'github-app' || has(self.appCredentialsRef)",
      message: 'kind github-app needs appCredentialsRef',
    },
    {
      rule: "!(self.kind in ['github-pat', 'gitlab', 'gitea']) || has(self.credentialsRef)",
      message: 'kinds github-pat, gitlab and gitea need credentialsRef',
    },
    { rule: "self.kind != 'gitea' || has(self.host)", message: 'kind gitea needs host' },
  ],
);

const globs = (description: string) =>
  z.array(z.string().min(1).max(512)).max(64).optional().describe(description);

const route = z.object({
  match: match.optional(),
  provider,
  prTemplate: z.string().max(16384).optional().describe('Template of the text of pull requests.'),
  titleTemplate: z.string().min(1).max(1024).optional().describe('Template of the title.'),
  labels: z.array(z.string().min(1).max(50)).max(10).optional().describe('Labels of pull requests.'),
  reviewers: z
    .array(z.string().min(1).max(100))
    .max(15)
    .optional()
    .describe('Logins of who is asked to review.'),
  draft: z.boolean().optional().describe('Pull requests are drafts.'),
  paths: z
    .object({
      allow: globs('Only files that match one of these may change.'),
      deny: globs(
        'Files that match one of these may not change, in addition to CI definitions and CODEOWNERS, which never may.',
      ),
    })
    .optional(),
  limits: z
    .object({
      maxFiles: z.int().min(1).max(1000).optional().describe('Files of one change; default 20.'),
      maxBytes: z
        .int()
        .min(1)
        .max(10_000_000)
        .optional()
        .describe('Bytes of all files of one change; default 1000000.'),
      maxOpenPRs: z
        .int()
        .min(1)
        .max(1000)
        .optional()
        .describe('Open pull requests of this route; further responses wait; default 20.'),
      coolDown: duration(
        'How long the same change is not proposed again after somebody closed its pull request; default 24h.',
      ).optional(),
    })
    .optional(),
  onGateClosed: z
    .enum(['Wait', 'Proceed'])
    .optional()
    .describe('Wait: no pull request while gateRef is closed. Proceed: it is opened, and says so.'),
  gateRef: z
    .object({
      name: objectName('Name of a Gate.'),
      namespace: objectName('Its namespace; default: this one.').optional(),
    })
    .optional(),
});

/** What the reference implementation has and never reads; its definition demands `bot`. */
const unused = z
  .looseObject({})
  .meta({ 'x-kubernetes-preserve-unknown-fields': true })
  .optional()
  .describe('Other shape: taken, and not used.');

/** The shape of the reference implementation's code; converted to routes. */
const namedProvider = z.object({
  name: z.string().min(1).max(63),
  type: z.enum(['github', 'gitlab', 'forgejo', 'gitea', 'noop']),
  host: z.string().max(253).optional(),
  auth: z
    .object({
      mode: z.enum(['github-app', 'project-access-token', 'app-token', 'pat', 'ssh-deploy-key']).optional(),
      secretRef: secretRef('The credential.').optional(),
    })
    .optional(),
});
const repo = z.object({
  provider: z.string().min(1).max(63),
  owner: z.string().min(1).max(256),
  repo: z.string().min(1).max(256),
  branch: branchName('Branch of the pull request.').optional(),
});

export const GitOpsResponderConfig = defineKind({
  group: securityGroup,
  version: 'v1alpha1',
  kind: 'GitOpsResponderConfig',
  plural: 'gitopsresponderconfigs',
  shortNames: ['gitopscfg'],
  description: 'To which repository, and how, responses become pull requests.',
  spec: withRules(
    z.object({
      routes: z
        .array(route)
        .max(100)
        .optional()
        .describe('The first that matches is taken; none: nothing is done.'),
      providers: z.array(namedProvider).max(32).optional().describe('Other shape: providers by name.'),
      defaultProvider: z
        .string()
        .max(63)
        .optional()
        .describe('Other shape: provider of the default repository.'),
      defaultRepo: repo.optional().describe('Other shape: where responses go that no rule matches.'),
      routing: z
        .array(
          z.object({
            matchLabels: z.record(z.string(), z.string()).optional(),
            matchNamespacePattern: z
              .string()
              .max(512)
              .optional()
              .describe('Regular expression over the namespace of the subject.'),
            repo,
          }),
        )
        .max(100)
        .optional()
        .describe('Other shape: rules.'),
      changeDefaults: z
        .object({
          draft: z.boolean().optional(),
          labels: z.array(z.string().min(1).max(50)).max(10).optional(),
          requireReviewers: z.array(z.string().min(1).max(100)).max(15).optional(),
        })
        .optional()
        .describe('Other shape: defaults of pull requests.'),
      bot: unused,
      branchStrategy: unused,
      conflictBehavior: z.string().max(63).optional().describe('Other shape: taken, and not used.'),
    }),
    [
      { rule: 'has(self.routes) || has(self.providers)', message: 'routes must be given' },
      {
        rule: '!(has(self.routes) && has(self.providers))',
        message: 'routes and providers are two shapes of the same; give one',
      },
    ],
  ),
  status: z.object({
    ...commonStatus,
    inUse: z
      .object({
        generation: z.int().describe('The generation that is in use: the last that was good.'),
        since: timestamp('Since when.'),
        routes: z.int().describe('How many routes it has.'),
        spec: z
          .looseObject({})
          .meta({ 'x-kubernetes-preserve-unknown-fields': true })
          .optional()
          .describe('It, while the spec is one that cannot be used.'),
      })
      .optional(),
    providers: z
      .array(
        z.object({
          kind: z.string().max(64),
          repository: z.string().max(512),
          identity: z.string().max(256).optional().describe('As whom the provider knows the responder.'),
          reachable: z.boolean(),
          message: z.string().max(1024).optional(),
        }),
      )
      .max(100)
      .optional(),
  }),
  printColumns: [
    { name: 'Routes', type: 'integer', jsonPath: '.status.inUse.routes' },
    { name: 'In Use', type: 'integer', jsonPath: '.status.inUse.generation' },
    ...readyColumns,
  ],
});

export type GitOpsResponderConfig = NonNullable<(typeof GitOpsResponderConfig)['_object']>;
export type GitOpsResponderConfigStatus = NonNullable<GitOpsResponderConfig['status']>;
export type ResponseRoute = NonNullable<GitOpsResponderConfig['spec']['routes']>[number];
export type ResponseProvider = ResponseRoute['provider'];
