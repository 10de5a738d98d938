import { describe, expect, it } from '@jest/globals';
import {
  ClusterScmProvider,
  GitRepository,
  keyString,
  ScmProvider,
  typeMeta,
  type AnyScmProvider,
  type Kind,
} from '@interlock/api';
import { buildObject, MemoryCache } from '@interlock/kube/testing';
import { repositoriesUsing } from './watches.js';

const repository = (namespace: string, kind: Kind, name = 'github') =>
  buildObject(GitRepository, {
    metadata: { name: `of-${kind.kind}-${name}`, namespace },
    spec: {
      scmProviderRef: { kind: kind.kind as 'ScmProvider', name },
      github: { owner: 'acme', name: 'deployments' },
    },
  });
const teams = ['team-a', 'team-b'];
const repositories = teams.flatMap((team) => [
  repository(team, ScmProvider),
  repository(team, ScmProvider, 'other'),
  repository(team, ClusterScmProvider),
]);

describe('a change of', () => {
  it.each<[string, Kind, string | undefined, string[], string | undefined]>([
    ['an ScmProvider', ScmProvider, 'team-a', ['team-a/of-ScmProvider-github'], 'team-a'],
    [
      'a ClusterScmProvider',
      ClusterScmProvider,
      undefined,
      teams.map((team) => `${team}/of-ClusterScmProvider-github`),
      undefined,
    ],
  ])(
    '%s wakes the repositories that use it, and reads those that it may serve only',
    (_title, kind, namespace, woken, read) => {
      const cache = new MemoryCache(GitRepository, ...repositories);
      const lists: (string | undefined)[] = [];
      const gitRepositories = {
        list(options: { namespace?: string | undefined } = {}) {
          lists.push(options.namespace);
          return cache.list(options);
        },
      };
      const metadata = { name: 'github', ...(namespace !== undefined && { namespace }) };
      const provider = { ...typeMeta(kind), metadata, spec: { github: {} } } as AnyScmProvider;
      expect(repositoriesUsing({ gitRepositories }, provider).map(keyString)).toEqual(woken);
      expect(lists).toEqual([read]);
    },
  );
});
