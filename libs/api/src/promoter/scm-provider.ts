import * as z from 'zod';
import { promoterGroup } from '../names.js';
import { commonStatus, namespaceList, objectName, readyColumns } from '../schema/common.js';
import { defineKind, exactlyOneOf, freeForm, optional, withRules } from '../schema/define.js';

const host = z
  .string()
  .max(253)
  .regex(/^(https?:\/\/)?[A-Za-z0-9][-A-Za-z0-9.]*(:[0-9]{1,5})?$/);

const domain = (fallback: string) =>
  host
    .optional()
    .describe(
      `Host of the server. Defaults to ${fallback}. Include the scheme if it is not https, such as http://127.0.0.1:8080.`,
    );

const ownDomain = host.describe(
  'Host of the server. Include the scheme if it is not https, such as http://127.0.0.1:8080.',
);

/** The sections, of which a provider has exactly one. A GitRepository has a section of the same name. */
const sections = {
  github: z
    .object({
      domain: domain('github.com'),
      appID: z
        .int()
        .min(1)
        .optional()
        .describe('ID of the GitHub App. If it is not set, the Secret contains a token.'),
      installationID: z
        .int()
        .min(1)
        .optional()
        .describe('ID of the installation of the App. If it is not set, it is looked up for the repository.'),
    })
    .describe('GitHub or GitHub Enterprise Server.'),
  gitlab: z
    .object({ domain: domain('gitlab.com') })
    .describe('GitLab.com or a self-managed GitLab, with a token.'),
  gitea: z.object({ domain: ownDomain }).describe('Gitea.'),
  forgejo: z.object({ domain: ownDomain }).describe('Forgejo.'),
  local: z
    .object({
      path: z
        .string()
        .min(2)
        .max(1024)
        .regex(/^\/[^\n]+$/)
        .describe('Absolute path of the directory on the file system of the process.'),
    })
    .describe('A directory of bare Git repositories, without a server.'),
  noop: z
    .object({
      domain: host
        .optional()
        .describe(
          'Host of the only server that the credential is sent to. If it is not set, the credential is not sent to any server and repositories are read anonymously.',
        ),
    })
    .describe('Dry run: changes nothing and reports what would be changed.'),
  plugin: z
    .object({
      name: objectName('Name of a plugin that the process loads (--scm-plugin).'),
      config: freeForm('Settings for the plugin. See the documentation of the plugin.').optional(),
    })
    .describe('An SCM that a plugin supports.'),
};

/** Sections that do not require a Secret. */
const withoutSecret = ['local', 'noop', 'plugin'] as const satisfies readonly (keyof typeof sections)[];

const rules = [
  exactlyOneOf('provider', Object.keys(sections)),
  {
    rule: `has(self.secretRef) || ${withoutSecret.map((name) => `has(self.${name})`).join(' || ')}`,
    message: 'secretRef must name the Secret with the credentials',
  },
];

const secretName = objectName(
  'Name of a Secret. Its keys are githubAppPrivateKey for a GitHub App, token for any other credential, and webhookSecret for webhooks.',
);

/** Returns the spec, status and columns of a kind of account whose spec begins with the given fields. */
function accountSchemas<Fields extends z.ZodRawShape>(fields: Fields) {
  return {
    spec: withRules(z.object({ ...fields, ...optional(sections) }), rules),
    status: z.object(commonStatus),
    printColumns: [...readyColumns],
  };
}

export const ScmProvider = defineKind({
  group: promoterGroup,
  version: 'v1alpha1',
  kind: 'ScmProvider',
  plural: 'scmproviders',
  description: 'An account at a source code management system, for the repositories of one namespace.',
  ...accountSchemas({
    secretRef: z.object({ name: secretName }).optional().describe('The credentials, in the same namespace.'),
  }),
});

export const ClusterScmProvider = defineKind({
  group: promoterGroup,
  version: 'v1alpha1',
  kind: 'ClusterScmProvider',
  plural: 'clusterscmproviders',
  namespaced: false,
  description: 'An account at a source code management system, for the repositories of all namespaces.',
  ...accountSchemas({
    secretRef: z
      .object({ name: secretName, namespace: objectName('Namespace of the Secret.') })
      .optional()
      .describe('The credentials.'),
    allowedNamespaces: namespaceList
      .optional()
      .describe(
        'Namespaces whose GitRepositories may refer to the provider. * allows all namespaces, which is also the default.',
      ),
  }),
});

export type ScmProvider = NonNullable<(typeof ScmProvider)['_object']>;
export type ClusterScmProvider = NonNullable<(typeof ClusterScmProvider)['_object']>;
export type AnyScmProvider = ScmProvider | ClusterScmProvider;
