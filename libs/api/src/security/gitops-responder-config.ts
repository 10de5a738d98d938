import * as z from 'zod';
import { securityGroup } from '../names.js';
import { branchName, commonStatus, duration, objectName, readyColumns, timestamp } from '../schema/common.js';
import { defineKind, withRules } from '../schema/define.js';
import { severities } from './security-event.js';

const secretRef = (description: string) =>
  z.object({ name: objectName('Name of the Secret, in the same namespace.') }).describe(description);

const match = z
  .object({
    actionRef: z.string().max(253).optional().describe('Matches action.actionRef of the response.'),
    eventClass: z.string().max(64).optional().describe('Matches the class of the event.'),
    eventType: z.string().max(128).optional().describe('Matches the type of the event.'),
    severity: z
      .array(z.enum(severities))
      .max(5)
      .optional()
      .describe('Matches events with one of these severities.'),
    subjectKind: z.string().max(128).optional().describe('Matches the kind of the subject.'),
    subjectNamespace: z
      .string()
      .max(256)
      .optional()
      .describe('Matches the namespace of the subject; * matches any text.'),
    labels: z
      .record(z.string(), z.string())
      .optional()
      .describe('Labels that the response or the subject must have.'),
    expr: z.string().min(1).max(2048).optional().describe('CEL expression over event, subject and response.'),
  })
  .describe(
    'Which responses the route handles. All given conditions must hold; without conditions, every response matches.',
  );

const provider = withRules(
  z.object({
    kind: z.enum(['github-app', 'github-pat', 'gitlab', 'gitea', 'noop']),
    host: z
      .string()
      .max(253)
      .regex(/^(https?:\/\/)?[A-Za-z0-9][-A-Za-z0-9.]*(:[0-9]{1,5})?$/)
      .optional()
      .describe('Host of the server, if it is not github.com or gitlab.com.'),
    repository: z
      .string()
      .max(512)
      .regex(/^[^\s/]+(\/[^\s/]+)+$/)
      .describe('Repository as owner/name. For GitLab, the owner may include subgroups.'),
    baseBranch: branchName('Target branch of the pull request.').default('main'),
    appCredentialsRef: secretRef(
      'Credential of a GitHub App, with the keys app-id (or client-id), private-key.pem and installation-id.',
    ).optional(),
    credentialsRef: secretRef('Any other credential, with the key token.').optional(),
    installationID: z
      .int()
      .min(1)
      .optional()
      .describe(
        'ID of the installation of the GitHub App. Defaults to the ID in the Secret, then to the ID of the installation for the repository.',
      ),
  }),
  [
    {
      rule: "self.kind != 'github-app' || has(self.appCredentialsRef)",
      message: 'kind github-app requires appCredentialsRef',
    },
    {
      rule: "!(self.kind in ['github-pat', 'gitlab', 'gitea']) || has(self.credentialsRef)",
      message: 'kinds github-pat, gitlab and gitea require credentialsRef',
    },
    { rule: "self.kind != 'gitea' || has(self.host)", message: 'kind gitea requires host' },
  ],
);

const globs = (description: string) =>
  z.array(z.string().min(1).max(512)).max(64).optional().describe(description);

const route = z.object({
  match: match.optional(),
  provider,
  prTemplate: z.string().max(16384).optional().describe('Template of the description of pull requests.'),
  titleTemplate: z.string().min(1).max(1024).optional().describe('Template of the title of pull requests.'),
  labels: z.array(z.string().min(1).max(50)).max(10).optional().describe('Labels of pull requests.'),
  reviewers: z
    .array(z.string().min(1).max(100))
    .max(15)
    .optional()
    .describe('Logins of the requested reviewers.'),
  draft: z.boolean().optional().describe('Whether pull requests are opened as drafts.'),
  paths: z
    .object({
      allow: globs('Only files that match one of these patterns may be changed.'),
      deny: globs(
        'Files that match one of these patterns may not be changed. CI definitions and CODEOWNERS may never be changed.',
      ),
    })
    .optional(),
  limits: z
    .object({
      maxFiles: z
        .int()
        .min(1)
        .max(1000)
        .optional()
        .describe('Maximum number of files in one change. Defaults to 20.'),
      maxBytes: z
        .int()
        .min(1)
        .max(10_000_000)
        .optional()
        .describe('Maximum size of all files of one change, in bytes. Defaults to 1000000.'),
      maxOpenPRs: z
        .int()
        .min(1)
        .max(1000)
        .optional()
        .describe(
          'Maximum number of open pull requests of this route; further responses wait. Defaults to 20.',
        ),
      coolDown: duration(
        'How long the same change is not proposed again after a user has closed its pull request. Defaults to 24h.',
      ).optional(),
    })
    .optional(),
  onGateClosed: z
    .enum(['Wait', 'Proceed'])
    .optional()
    .describe(
      'What happens while the gate of gateRef is closed. Wait: no pull request is opened. Proceed: it is opened, with a note about the gate.',
    ),
  gateRef: z
    .object({
      name: objectName('Name of a Gate.'),
      namespace: objectName('Namespace of the Gate. Defaults to this namespace.').optional(),
    })
    .optional(),
});

/** A field that the reference implementation defines but never reads; its definition requires `bot`. */
const unused = z
  .looseObject({})
  .meta({ 'x-kubernetes-preserve-unknown-fields': true })
  .optional()
  .describe('Alternative schema: accepted and ignored.');

/** The schema that the code of the reference implementation uses. It is converted to routes. */
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
  branch: branchName('Target branch of pull requests.').optional(),
});

export const GitOpsResponderConfig = defineKind({
  group: securityGroup,
  version: 'v1alpha1',
  kind: 'GitOpsResponderConfig',
  plural: 'gitopsresponderconfigs',
  shortNames: ['gitopscfg'],
  description: 'Maps responses to pull requests: in which repository they are opened, and how.',
  spec: withRules(
    z.object({
      routes: z
        .array(route)
        .max(100)
        .optional()
        .describe(
          'Routes in order of precedence: the first match is used. If none matches, no pull request is opened.',
        ),
      providers: z.array(namedProvider).max(32).optional().describe('Alternative schema: providers by name.'),
      defaultProvider: z
        .string()
        .max(63)
        .optional()
        .describe('Alternative schema: provider of the default repository.'),
      defaultRepo: repo
        .optional()
        .describe('Alternative schema: repository for responses that match no rule.'),
      routing: z
        .array(
          z.object({
            matchLabels: z.record(z.string(), z.string()).optional(),
            matchNamespacePattern: z
              .string()
              .max(512)
              .optional()
              .describe('Regular expression that matches the namespace of the subject.'),
            repo,
          }),
        )
        .max(100)
        .optional()
        .describe('Alternative schema: rules.'),
      changeDefaults: z
        .object({
          draft: z.boolean().optional(),
          labels: z.array(z.string().min(1).max(50)).max(10).optional(),
          requireReviewers: z.array(z.string().min(1).max(100)).max(15).optional(),
        })
        .optional()
        .describe('Alternative schema: defaults of pull requests.'),
      bot: unused,
      branchStrategy: unused,
      conflictBehavior: z.string().max(63).optional().describe('Alternative schema: accepted and ignored.'),
    }),
    [
      { rule: 'has(self.routes) || has(self.providers)', message: 'routes must be set' },
      {
        rule: '!(has(self.routes) && has(self.providers))',
        message: 'routes and providers are alternative schemas; set only one of them',
      },
    ],
  ),
  status: z.object({
    ...commonStatus,
    inUse: z
      .object({
        generation: z.int().describe('The generation that is in use, which is the last valid generation.'),
        since: timestamp('Since when this generation has been in use.'),
        routes: z.int().describe('Number of routes.'),
        spec: z
          .looseObject({})
          .meta({ 'x-kubernetes-preserve-unknown-fields': true })
          .optional()
          .describe('The spec in use. Recorded while the current spec is invalid.'),
      })
      .optional(),
    providers: z
      .array(
        z.object({
          kind: z.string().max(64),
          repository: z.string().max(512),
          identity: z
            .string()
            .max(256)
            .optional()
            .describe('The user as whom the responder is authenticated at the provider.'),
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
