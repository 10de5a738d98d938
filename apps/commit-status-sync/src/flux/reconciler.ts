import { FluxCommitStatus, keyOf } from '@interlock/api';
import type { Manager, OptionalCache } from '@interlock/kube';
import type { SourceCaches } from '../sources/caches.js';
import { statesOf } from '../sources/foreign.js';
import { addHealthReconciler } from '../sources/reconciler.js';
import { KindReadiness } from '../sources/kind-readiness.js';
import { sourcesNear } from '../sources/selector.js';
import { decideFlux, selectsWorkload, type ObservedFlux } from './decide.js';
import type { FluxGitRepository, FluxWorkload } from './objects.js';
import { FluxWorkloads } from './workloads.js';

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
  const workloads = new FluxWorkloads(kustomizations, helmReleases);
  const handle = addHealthReconciler(manager, caches, {
    name: 'flux-commit-status',
    kind: FluxCommitStatus,
    cache: caches.flux,
    readiness: new KindReadiness([kustomizations, helmReleases], [gitRepositories]),
    observe: ({ problem, ...known }): ObservedFlux => ({
      ...known,
      workloads: problem ?? workloads.selectedBy(known.observed.source),
      kustomization: (of) => kustomizations.get(of),
      gitRepository: (of) => gitRepositories.get(of),
    }),
    decide: decideFlux,
  });
  const wake = (concerned: readonly FluxWorkload[]) =>
    sourcesNear(caches.flux, concerned)
      .filter((source) => concerned.some((workload) => selectsWorkload(source, workload)))
      .forEach((source) => handle.enqueue(keyOf(source)));
  kustomizations.subscribe((event) => wake(statesOf(event).flatMap((state) => workloads.judgedBy(state))));
  helmReleases.subscribe((event) => wake(statesOf(event)));
  gitRepositories.subscribe((event) => wake(statesOf(event).flatMap((state) => workloads.comingFrom(state))));
  for (const cache of [kustomizations, helmReleases, gitRepositories]) {
    cache.onAvailability(() => caches.flux.list().forEach((source) => handle.enqueue(keyOf(source))));
  }
}
