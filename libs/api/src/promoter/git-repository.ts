import { z } from 'zod';
import { promoterGroup } from '../names.js';
import { commonStatus, objectName, readyColumns } from '../schema/common.js';
import { defineKind, exactlyOneOf, withRules } from '../schema/define.js';

const pathPart = (description: string) =>
  z
    .string()
    .min(1)
    .max(100)
    .regex(/^[A-Za-z0-9._][-A-Za-z0-9._]*$/)
    .describe(description);

export const GitRepository = defineKind({
  group: promoterGroup,
  version: 'v1alpha1',
  kind: 'GitRepository',
  plural: 'gitrepositories',
  description: 'A repository at a source code management system.',
  spec: withRules(
    z.object({
      scmProviderRef: z
        .object({
          kind: z
            .enum(['ScmProvider', 'ClusterScmProvider'])
            .default('ScmProvider')
            .describe('ScmProvider (same namespace) or ClusterScmProvider.'),
          name: objectName('Name of the provider.'),
        })
        .describe('The account with which the repository is accessed.'),
      github: z
        .object({ owner: pathPart('User or organisation.'), name: pathPart('Name of the repository.') })
        .optional()
        .describe('A repository on GitHub.'),
      gitlab: z
        .object({
          namespace: z
            .string()
            .min(1)
            .max(1000)
            .regex(/^[A-Za-z0-9_][-A-Za-z0-9._]*(\/[A-Za-z0-9_][-A-Za-z0-9._]*)*$/)
            .describe('Group, group and its subgroups (acme/platform), or user.'),
          name: pathPart('Name of the project, as in its URL.'),
          projectID: z
            .int()
            .min(1)
            .optional()
            .describe('Id of the project, which stays the same when the project is moved.'),
        })
        .optional()
        .describe('A repository (project) on GitLab.'),
    }),
    [exactlyOneOf('repository', ['github', 'gitlab'])],
  ),
  status: z.object(commonStatus),
  printColumns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.scmProviderRef.name' },
    { name: 'Owner', type: 'string', jsonPath: '.spec.github.owner' },
    { name: 'Repository', type: 'string', jsonPath: '.spec.github.name' },
    ...readyColumns,
  ],
});

export type GitRepository = NonNullable<(typeof GitRepository)['_object']>;
