import * as z from 'zod';
import { promoterGroup } from '../names.js';
import { objectKey, type ObjectKey } from '../object.js';
import { commonStatus, objectName, readyColumns } from '../schema/common.js';
import { defineKind, exactlyOneOf, freeForm, optional, withRules } from '../schema/define.js';

/* Excludes `.` and `..`, which would address another folder in a path. */
const pathPart = (description: string) =>
  z
    .string()
    .min(1)
    .max(100)
    .regex(/^[.]{0,2}[A-Za-z0-9_][-A-Za-z0-9._]*$/)
    .describe(description);

const owned = (server: string) =>
  z
    .object({
      owner: pathPart('User or organization that owns the repository.'),
      name: pathPart('Name of the repository.'),
    })
    .describe(`A repository on ${server}.`);

/** The sections, of which a repository has exactly one: the section of its provider. */
const sections = {
  github: owned('GitHub'),
  gitlab: z
    .object({
      namespace: z
        .string()
        .min(1)
        .max(1000)
        .regex(/^[A-Za-z0-9_][-A-Za-z0-9._]*(\/[A-Za-z0-9_][-A-Za-z0-9._]*)*$/)
        .describe('Group (with its subgroups, such as acme/platform) or user that owns the project.'),
      name: pathPart('Name of the project, as in its URL.'),
      projectID: z
        .int()
        .min(1)
        .optional()
        .describe('ID of the project. It does not change when the project is moved.'),
    })
    .describe('A repository (project) on GitLab.'),
  gitea: owned('Gitea'),
  forgejo: owned('Forgejo'),
  local: z
    .object({
      name: z
        .string()
        .min(1)
        .max(255)
        .regex(/^[A-Za-z0-9_][-A-Za-z0-9._]*(\/[A-Za-z0-9_][-A-Za-z0-9._]*)*$/)
        .describe(
          'Path of the bare repository, relative to the directory of the provider. The suffix .git is optional.',
        ),
    })
    .describe('A repository in the directory of the provider.'),
  noop: z
    .object({
      url: z
        .string()
        .max(2048)
        .regex(/^https?:\/\/[^\s@]+$/)
        .describe('URL that git fetches from. Nothing is ever pushed to it.'),
    })
    .describe('A repository that is only read, never changed.'),
  plugin: z
    .object({
      name: objectName('Name of the plugin. It must match the name in the provider.'),
      config: freeForm('Settings for the plugin. See the documentation of the plugin.').optional(),
    })
    .describe('A repository at an SCM that a plugin supports.'),
};

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
            .describe('Kind of the provider: ScmProvider (in the same namespace) or ClusterScmProvider.'),
          name: objectName('Name of the provider.'),
        })
        .describe('The account that is used to access the repository.'),
      ...optional(sections),
    }),
    [exactlyOneOf('repository', Object.keys(sections))],
  ),
  status: z.object(commonStatus),
  printColumns: [
    { name: 'Provider', type: 'string', jsonPath: '.spec.scmProviderRef.name' },
    ...readyColumns,
  ],
});

export type GitRepository = NonNullable<(typeof GitRepository)['_object']>;

/** An object that refers to a GitRepository in its own namespace. */
export interface RefersToRepository {
  metadata: { namespace?: string };
  spec: { repoRef: { name: string } };
}

/** Returns the key of the GitRepository that an object refers to. It is always in the namespace of the object. */
export function repositoryKey({ metadata, spec }: RefersToRepository): ObjectKey {
  return objectKey(metadata.namespace, spec.repoRef.name);
}
