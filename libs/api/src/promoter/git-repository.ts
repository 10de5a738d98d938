import { z } from 'zod';
import { promoterGroup } from '../names.js';
import { commonStatus, objectName, readyColumns } from '../schema/common.js';
import { defineKind, withRules } from '../schema/define.js';

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
    }),
    [{ rule: 'has(self.github)', message: 'exactly one repository must be set: github' }],
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
