import {
  keyOf,
  keyString,
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
  const remoteOf = (repository: GitRepository): string | undefined => {
    const provider = providerOf(repository, names);
    return provider && registry.remoteOf(provider.spec, repository.spec);
  };
  const own = names.gitRepositories.find((one) => keyString(keyOf(one)) === keyString(key));
  const remote = own && remoteOf(own);
  if (remote === undefined) return [key];
  return names.gitRepositories.filter((one) => remoteOf(one) === remote).map(keyOf);
}

function providerOf(
  { spec }: GitRepository,
  { scmProviders, clusterScmProviders }: RemoteNames,
): AnyScmProvider | undefined {
  const { kind, name } = spec.scmProviderRef;
  const providers = kind === 'ClusterScmProvider' ? clusterScmProviders : scmProviders;
  return providers.find(({ metadata }) => metadata.name === name);
}
