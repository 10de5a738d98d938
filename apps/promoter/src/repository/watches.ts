import { annotations, keyOf, type ObjectKey, type AnyScmProvider } from '@interlock/api';
import { annotationsChanged, generationChanged, or } from '@interlock/kube';
import type { Caches } from '../caches.js';

const refreshAnnotations = [annotations.refreshedAt, annotations.refreshedAtProposal];

/** A change of the spec, or of the annotation by which webhooks and users request a refresh. */
export const specOrRefreshChanged = or(generationChanged, annotationsChanged(...refreshAnnotations));

/** Returns the GitRepositories that use a provider, which serves its own namespace only if it has one. */
export function repositoriesUsing(
  { gitRepositories }: { gitRepositories: Pick<Caches['gitRepositories'], 'list'> },
  { kind, metadata: { namespace, name } }: AnyScmProvider,
): ObjectKey[] {
  return gitRepositories
    .list({ namespace })
    .filter(({ spec: { scmProviderRef } }) => scmProviderRef.kind === kind && scmProviderRef.name === name)
    .map(keyOf);
}
