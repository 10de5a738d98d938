import { typeMeta } from '@interlock/api';
import { repositoryUrl } from '../../sources/testing/builders.js';
import {
  FluxGitRepository,
  HelmRelease,
  Kustomization,
  trimGitRepository,
  trimWorkload,
  type FluxWorkload,
} from '../objects.js';

const namespace = 'flux-system';

/** Returns a Flux GitRepository of the strategy's repository, trimmed. */
export function gitRepository(name: string, ref?: object, url = repositoryUrl): FluxGitRepository {
  return trimGitRepository({
    ...typeMeta(FluxGitRepository),
    metadata: { name, namespace },
    spec: { url, ...(ref && { ref }) },
  });
}

/** Returns the Ready condition of a workload. */
export function readyIs(status: string, reason = 'Any', message = '', observedGeneration = 2): object {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return {
    conditions: [{ type: 'Ready', status, reason, message, lastTransitionTime, observedGeneration }],
  };
}

/** Returns a Kustomization that comes from the GitRepository `source`, trimmed. */
export function kustomization(
  name: string,
  source: string,
  status: object,
  labels: Record<string, string> = {},
): FluxWorkload {
  return trimWorkload({
    ...typeMeta(Kustomization),
    metadata: { name, namespace, generation: 2, labels },
    spec: { sourceRef: { kind: FluxGitRepository.kind, name: source } },
    status: { observedGeneration: 2, ...status },
  });
}

/** Returns a HelmRelease, whose chart comes from the GitRepository `source` when one is given, trimmed. */
export function helmRelease(
  name: string,
  status: object,
  { source, appliedBy }: { source?: string; appliedBy?: string } = {},
): FluxWorkload {
  const labels = {
    [`${Kustomization.group}/name`]: appliedBy ?? '',
    [`${Kustomization.group}/namespace`]: namespace,
  };
  const sourceRef =
    source === undefined
      ? { kind: 'HelmRepository', name: 'charts' }
      : { kind: 'GitRepository', name: source };
  return trimWorkload({
    ...typeMeta(HelmRelease),
    metadata: { name, namespace, generation: 2, ...(appliedBy !== undefined && { labels }) },
    spec: { chart: { spec: { sourceRef } } },
    status: { observedGeneration: 2, ...status },
  });
}
