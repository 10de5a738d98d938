import {
  annotations,
  ClusterScmProvider,
  keyOf,
  type GitRepository,
  type ObjectKey,
  type AnyScmProvider,
} from '@interlock/api';
import { annotationsChanged, generationChanged, or } from '@interlock/kube';
import type { Caches } from '../caches.js';

const refreshAnnotations = [annotations.refreshedAt, annotations.refreshedAtProposal];

/** A change of the spec, or of the annotation by which webhooks and users request a refresh. */
export const specOrRefreshChanged = or(generationChanged, annotationsChanged(...refreshAnnotations));

/** Returns the GitRepositories that use a provider. */
export function repositoriesUsing(
  { gitRepositories }: Pick<Caches, 'gitRepositories'>,
  provider: AnyScmProvider,
): ObjectKey[] {
  return gitRepositories
    .list()
    .filter((repository) => uses(repository, provider))
    .map(keyOf);
}

/** Returns whether a GitRepository uses a provider. A provider of a namespace serves that namespace only. */
function uses({ spec, metadata }: GitRepository, provider: AnyScmProvider): boolean {
  const { kind, name } = spec.scmProviderRef;
  const sameNamespace =
    kind === ClusterScmProvider.kind || metadata.namespace === provider.metadata.namespace;
  return kind === provider.kind && name === provider.metadata.name && sameNamespace;
}
