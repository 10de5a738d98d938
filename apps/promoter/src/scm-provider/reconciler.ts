import { ClusterScmProvider, ScmProvider, type AnyScmProvider, type Kind } from '@interlock/api';
import { generationChanged, type ControllerHandle, type Manager } from '@interlock/kube';
import type { AccountHealth, RepositoryResolver } from '@interlock/scm';
import { concludeProvider } from './conclude.js';
import { decideProvider, type ObservedProvider, type ProviderDecision } from './decide.js';
import { observeProvider } from './observe.js';

interface ScmProviderReconcilerOptions {
  resolver: RepositoryResolver;
  health: AccountHealth;
  /** Milliseconds between two reads of a Secret, which is not watched. */
  pollIntervalMs: number;
}

/** Adds the reconcilers of ScmProviders and ClusterScmProviders, which report whether an account can be used. */
export function addScmProviderReconcilers(
  manager: Manager,
  { resolver, health, pollIntervalMs }: ScmProviderReconcilerOptions,
): void {
  const add = (name: string, kind: Kind<AnyScmProvider>): ControllerHandle =>
    manager.addReconciler<AnyScmProvider, ObservedProvider, ProviderDecision, undefined>({
      name,
      for: { kind, predicate: generationChanged },
      isUsedUntilGone: true,
      observe: (provider) => observeProvider(resolver, health, provider),
      decide: decideProvider,
      conclude: (observed, decision) => concludeProvider(observed, decision, pollIntervalMs),
      forgotten: (key) => health.forget({ kind: kind.kind, namespace: key.namespace ?? '', name: key.name }),
    });
  const handles = new Map([
    [ScmProvider.kind, add('scm-provider', ScmProvider)],
    [ClusterScmProvider.kind, add('cluster-scm-provider', ClusterScmProvider)],
  ]);
  health.changed = ({ kind, namespace, name }) => {
    handles.get(kind)?.enqueue({ name, ...(namespace !== '' && { namespace }) });
  };
}
