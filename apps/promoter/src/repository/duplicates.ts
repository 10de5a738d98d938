import {
  keyOf,
  type AnyScmProvider,
  type ClusterScmProvider,
  type GitRepository,
  type ObjectKey,
  type ScmProvider,
} from '@interlock/api';
import type { ScmRegistry } from '@interlock/scm';

/** The inputs that identify the remotes of the GitRepositories of one namespace. */
export interface RemoteNames {
  /** The GitRepositories of the namespace. The ScmProviders are in the same namespace. */
  gitRepositories: readonly GitRepository[];
  scmProviders: readonly ScmProvider[];
  clusterScmProviders: readonly ClusterScmProvider[];
}

/**
 * Returns the GitRepositories of a namespace that name the same remote as the GitRepository of the key, including that
 * GitRepository, whatever account each of them uses. A GitRepository whose account does not exist or cannot be read is not a
 * duplicate.
 */
export function duplicatesOf(
  key: ObjectKey,
  names: RemoteNames,
  registry: Pick<ScmRegistry, 'remoteOf'>,
): ObjectKey[] {
  const remoteOf = remotesIn(names, registry);
  const own = names.gitRepositories.find(({ metadata }) => metadata.name === key.name);
  const remote = own && remoteOf(own);
  if (remote === undefined) return [key];
  return names.gitRepositories.filter((one) => remoteOf(one) === remote).map(keyOf);
}

/** Returns the GitRepositories of a namespace whose remote others of them name as well, by their remotes. */
export function duplicatesByRemote(
  names: RemoteNames,
  registry: Pick<ScmRegistry, 'remoteOf'>,
): GitRepository[][] {
  const remoteOf = remotesIn(names, registry);
  const groups = new Map<string, GitRepository[]>();
  for (const one of names.gitRepositories) {
    const remote = remoteOf(one);
    const group = remote === undefined ? undefined : groups.get(remote);
    if (group !== undefined) group.push(one);
    else if (remote !== undefined) groups.set(remote, [one]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/**
 * Returns a registry that remembers the remote of each repository, which takes much longer to read than to look up. The specs of
 * the objects of caches do not change.
 */
export function rememberRemotes(registry: Pick<ScmRegistry, 'remoteOf'>): Pick<ScmRegistry, 'remoteOf'> {
  const remotes = new WeakMap<object, { provider: object; remote: string | undefined }>();
  return {
    remoteOf(provider, repository) {
      const known = remotes.get(repository);
      if (known?.provider === provider) return known.remote;
      const remote = registry.remoteOf(provider, repository);
      remotes.set(repository, { provider, remote });
      return remote;
    },
  };
}

function remotesIn(
  { scmProviders, clusterScmProviders }: RemoteNames,
  registry: Pick<ScmRegistry, 'remoteOf'>,
): (repository: GitRepository) => string | undefined {
  const own = byName(scmProviders);
  const ofCluster = byName(clusterScmProviders);
  return ({ spec }) => {
    const { kind, name } = spec.scmProviderRef;
    const provider = (kind === 'ClusterScmProvider' ? ofCluster : own).get(name);
    return provider && registry.remoteOf(provider.spec, spec);
  };
}

function byName(providers: readonly AnyScmProvider[]): Map<string, AnyScmProvider> {
  return new Map(providers.map((provider) => [provider.metadata.name, provider]));
}
