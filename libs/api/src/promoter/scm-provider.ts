import { z } from 'zod';
import { promoterGroup } from '../names.js';
import { commonStatus, objectName, readyColumns } from '../schema/common.js';
import { defineKind, exactlyOneOf, withRules } from '../schema/define.js';

const domain = (fallback: string) =>
  z
    .string()
    .max(253)
    .regex(/^(https?:\/\/)?[A-Za-z0-9][-A-Za-z0-9.]*(:[0-9]{1,5})?$/)
    .optional()
    .describe(
      `Host of the server, default ${fallback}; with a scheme (http://127.0.0.1:8080) where it is not https.`,
    );

const github = z
  .object({
    domain: domain('github.com'),
    appID: z.int().min(1).optional().describe('Id of the GitHub App; absent: the Secret holds a token.'),
    installationID: z
      .int()
      .min(1)
      .optional()
      .describe('Installation of the App; absent: found through the repository.'),
  })
  .describe('GitHub or GitHub Enterprise Server.');

const gitlab = z
  .object({ domain: domain('gitlab.com') })
  .describe("GitLab.com or GitLab of one's own, with a token.");

const spec = (secretRef: z.ZodType<{ name: string; namespace?: string | undefined }>) =>
  withRules(
    z.object({
      secretRef,
      github: github.optional(),
      gitlab: gitlab.optional(),
    }),
    [exactlyOneOf('provider', ['github', 'gitlab'])],
  );

const secretName = objectName(
  'Name of a Secret. githubAppPrivateKey: of a GitHub App; token: any other credential; webhookSecret: of webhooks.',
);

const printColumns = [
  { name: 'Domain', type: 'string', jsonPath: '.spec.github.domain' } as const,
  ...readyColumns,
];

export const ScmProvider = defineKind({
  group: promoterGroup,
  version: 'v1alpha1',
  kind: 'ScmProvider',
  plural: 'scmproviders',
  description: 'An account at a source code management system, for the repositories of one namespace.',
  spec: spec(z.object({ name: secretName }).describe('The credentials, in the same namespace.')),
  status: z.object(commonStatus),
  printColumns,
});

export const ClusterScmProvider = defineKind({
  group: promoterGroup,
  version: 'v1alpha1',
  kind: 'ClusterScmProvider',
  plural: 'clusterscmproviders',
  namespaced: false,
  description: 'An account at a source code management system, for the repositories of all namespaces.',
  spec: spec(
    z
      .object({ name: secretName, namespace: objectName('Namespace of the Secret.') })
      .describe('The credentials.'),
  ),
  status: z.object(commonStatus),
  printColumns,
});

export type ScmProvider = NonNullable<(typeof ScmProvider)['_object']>;
export type ClusterScmProvider = NonNullable<(typeof ClusterScmProvider)['_object']>;
export type ScmProviderSpec = ScmProvider['spec'];
