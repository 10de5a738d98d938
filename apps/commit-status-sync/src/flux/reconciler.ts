import { FluxCommitStatus, keyOf, keyString } from '@interlock/api';
import type { Manager, OptionalCache } from '@interlock/kube';
import type { SourceCaches } from '../sources/caches.js';
import { statesOf } from '../sources/foreign.js';
import { addHealthReconciler } from '../sources/reconciler.js';
import { KindReadiness } from '../sources/kind-readiness.js';
import { decideFlux, selectsWorkload, type ObservedFlux } from './decide.js';
import { applierOf, type FluxGitRepository, type FluxWorkload } from './objects.js';

/** The caches of the Flux kinds, none of which need be installed. */
interface FluxCaches {
  kustomizations: OptionalCache<FluxWorkload>;
  helmReleases: OptionalCache<FluxWorkload>;
  gitRepositories: OptionalCache<FluxGitRepository>;
}

/**
 * Adds the reconciler of FluxCommitStatuses. An event of a Flux object wakes each FluxCommitStatus that it concerns.
 */
export function addFluxReconciler(manager: Manager, caches: SourceCaches, flux: FluxCaches): void {
  const { kustomizations, helmReleases, gitRepositories } = flux;
  const handle = addHealthReconciler(manager, caches, {
    name: 'flux-commit-status',
    kind: FluxCommitStatus,
    cache: caches.flux,
    readiness: new KindReadiness([kustomizations, helmReleases], [gitRepositories]),
    observe: ({ problem, ...known }): ObservedFlux => {
      const { source } = known.observed;
      const selected = () =>
        [...kustomizations.list(), ...helmReleases.list()].filter((workload) =>
          selectsWorkload(source, workload),
        );
      return {
        ...known,
        workloads: problem ?? selected(),
        kustomization: (of) => kustomizations.get(of),
        gitRepository: (of) => gitRepositories.get(of),
      };
    },
    decide: decideFlux,
  });
  const wake = (concerned: (source: FluxCommitStatus) => boolean) =>
    caches.flux
      .list()
      .filter(concerned)
      .forEach((source) => handle.enqueue(keyOf(source)));
  /* A HelmRelease is judged by the Kustomization that applied it. */
  const appliedBy = (kustomization: FluxWorkload) =>
    helmReleases.list().filter((release) => {
      const key = applierOf(release);
      return key !== undefined && keyString(key) === keyString(keyOf(kustomization));
    });
  kustomizations.subscribe((event) => {
    const concerned = statesOf(event).flatMap((state) => [state, ...appliedBy(state)]);
    wake((source) => concerned.some((workload) => selectsWorkload(source, workload)));
  });
  helmReleases.subscribe((event) => {
    const states = statesOf(event);
    wake((source) => states.some((workload) => selectsWorkload(source, workload)));
  });
  gitRepositories.subscribe((event) => wake(() => statesOf(event).length > 0));
  for (const cache of [kustomizations, helmReleases, gitRepositories]) {
    cache.onAvailability(() => wake(() => true));
  }
}
