import { keyOf, keyString, type FluxCommitStatus, type KubeObject } from '@interlock/api';
import type { OptionalCache } from '@interlock/kube';
import { objectsNear } from '../sources/selector.js';
import { selectsWorkload } from './decide.js';
import { applierOf, gitSourceOf, type FluxWorkload } from './objects.js';

const applierIndex = 'applier';
const sourceIndex = 'source';

type WorkloadCache = Pick<OptionalCache<FluxWorkload>, 'addIndex' | 'byIndex' | 'list'>;

/**
 * The Kustomizations and HelmReleases, with indexes, so that the change of one object does not cost time for each object of the
 * cluster.
 */
export class FluxWorkloads {
  readonly #kustomizations: WorkloadCache;
  readonly #helmReleases: WorkloadCache;

  /** Adds indexes to caches that do not run yet. */
  constructor(kustomizations: WorkloadCache, helmReleases: WorkloadCache) {
    this.#kustomizations = kustomizations;
    this.#helmReleases = helmReleases;
    helmReleases.addIndex(applierIndex, (release) => keysOf(applierOf(release)));
    for (const cache of [kustomizations, helmReleases])
      cache.addIndex(sourceIndex, (workload) => keysOf(gitSourceOf(workload)));
  }

  /** Returns the workloads that a FluxCommitStatus selects. */
  selectedBy(source: FluxCommitStatus): FluxWorkload[] {
    return [this.#kustomizations, this.#helmReleases]
      .flatMap((cache) => objectsNear(source, cache))
      .filter((workload) => selectsWorkload(source, workload));
  }

  /** Returns a state of a Kustomization and the HelmReleases that it applied, which are judged by it. */
  judgedBy(kustomization: FluxWorkload): FluxWorkload[] {
    const key = keyString(keyOf(kustomization));
    return [kustomization, ...this.#helmReleases.byIndex(applierIndex, key)];
  }

  /** Returns the workloads that come from a GitRepository. */
  comingFrom(gitRepository: KubeObject): FluxWorkload[] {
    const key = keyString(keyOf(gitRepository));
    return [
      ...this.#kustomizations.byIndex(sourceIndex, key).flatMap((one) => this.judgedBy(one)),
      ...this.#helmReleases.byIndex(sourceIndex, key),
    ];
  }
}

function keysOf(key: Parameters<typeof keyString>[0] | undefined): string[] {
  return key === undefined ? [] : [keyString(key)];
}
