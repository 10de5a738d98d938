import { ArgoCDCommitStatus, keyOf, matchesLabels } from '@interlock/api';
import type { Manager, OptionalCache } from '@interlock/kube';
import type { SourceCaches } from '../sources/caches.js';
import { statesOf } from '../sources/foreign.js';
import { addHealthReconciler } from '../sources/reconciler.js';
import { KindReadiness } from '../sources/kind-readiness.js';
import { inScope, objectsNear, sourcesNear } from '../sources/selector.js';
import type { Application } from './application.js';
import { decideArgoCD, type ObservedArgoCD } from './decide.js';

/**
 * Adds the reconciler of ArgoCDCommitStatuses. An event of an Application wakes each ArgoCDCommitStatus that selects it.
 */
export function addArgoCDReconciler(
  manager: Manager,
  caches: SourceCaches,
  applications: OptionalCache<Application>,
): void {
  const { argocd } = caches;
  const handle = addHealthReconciler(manager, caches, {
    name: 'argocd-commit-status',
    kind: ArgoCDCommitStatus,
    cache: argocd,
    readiness: new KindReadiness([applications]),
    observe: ({ problem, ...known }): ObservedArgoCD => {
      const { source } = known.observed;
      const selected = () =>
        objectsNear(source, applications).filter((application) => selects(source, application));
      return { ...known, applications: problem ?? selected() };
    },
    decide: decideArgoCD,
  });
  applications.subscribe((event) => {
    const states = statesOf(event);
    sourcesNear(argocd, states)
      .filter((source) => states.some((application) => selects(source, application)))
      .forEach((source) => handle.enqueue(keyOf(source)));
  });
  applications.onAvailability(() => argocd.list().forEach((source) => handle.enqueue(keyOf(source))));
}

/** Returns whether an ArgoCDCommitStatus selects an Application. */
function selects(source: ArgoCDCommitStatus, application: Application): boolean {
  return (
    inScope(source, application) &&
    matchesLabels(source.spec.applicationSelector, application.metadata.labels)
  );
}
