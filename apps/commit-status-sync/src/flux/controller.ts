import { CommitStatus, FluxCommitStatus, keyOf, keyString } from '@interlock/api';
import { generationChanged, type Manager, type OptionalCache } from '@interlock/kube';
import { actOnSource, type Actor } from '../sources/act.js';
import { observeSource, repositoryOfStrategy, type SourceCaches } from '../sources/caches.js';
import { repositoryWatches, specOrLabelsChanged, strategyWatch } from '../sources/causes.js';
import { statesOf } from '../sources/foreign.js';
import { Patience } from '../sources/patience.js';
import { decideFlux, selectsWorkload } from './decide.js';
import { applierOf, type FluxGitRepository, type FluxWorkload } from './objects.js';

/** The caches of the Flux kinds, none of which need be installed. */
export interface FluxCaches {
  kustomizations: OptionalCache<FluxWorkload>;
  helmReleases: OptionalCache<FluxWorkload>;
  gitRepositories: OptionalCache<FluxGitRepository>;
}

/** Adds the controller of FluxCommitStatuses. An event of a Flux object wakes each one that it concerns. */
export function addFluxController(
  manager: Manager,
  actor: Actor,
  caches: SourceCaches,
  flux: FluxCaches,
): void {
  const { kustomizations, helmReleases, gitRepositories } = flux;
  const patience = new Patience([kustomizations, helmReleases], [gitRepositories]);
  const handle = manager.addController({
    name: 'flux-commit-status',
    for: { kind: FluxCommitStatus, predicate: generationChanged },
    owns: [{ kind: CommitStatus, predicate: specOrLabelsChanged }],
    watches: [strategyWatch(caches.flux), ...repositoryWatches(caches.flux)],
    reconcile: async (key, { now }) => {
      const source = caches.flux.get(key);
      if (source === undefined || source.metadata.deletionTimestamp !== undefined) return;
      const knowledge = patience.look(now);
      if (knowledge.type === 'wait') return { requeueAfterMs: knowledge.waitMs };
      const observed = observeSource(caches, source);
      const decision = decideFlux(
        {
          observed,
          repository: observed.strategy === undefined ? '' : repositoryOfStrategy(caches, observed.strategy),
          workloads:
            knowledge.type === 'problem'
              ? knowledge.problem
              : [...kustomizations.list(), ...helmReleases.list()].filter((workload) =>
                  selectsWorkload(source, workload),
                ),
          kustomization: (of) => kustomizations.get(of),
          gitRepository: (of) => gitRepositories.get(of),
        },
        now,
      );
      await actOnSource(actor, FluxCommitStatus, source, decision);
      return decision;
    },
  });
  const wake = (concerned: (source: FluxCommitStatus) => boolean) =>
    caches.flux
      .list()
      .filter(concerned)
      .forEach((source) => handle.enqueue(keyOf(source)));
  /* A HelmRelease speaks through the Kustomization that applied it. */
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
