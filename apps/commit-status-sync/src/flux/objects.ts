import { fluxResources, objectKey, type Kind, type KubeObject, type ObjectKey } from '@interlock/api';
import * as z from 'zod';
import { keptMetadata } from '../sources/foreign.js';

const sourceRef = z.object({
  kind: z.string().optional(),
  name: z.string().optional(),
  namespace: z.string().optional(),
});
const condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
  lastTransitionTime: z.string().optional(),
  observedGeneration: z.number().optional(),
});

/* The fields that are read (Flux documentation, "Kustomization", "HelmRelease" and "GitRepository"). */
const gitRepositorySpec = z.object({
  url: z.string().optional(),
  ref: z.object({ branch: z.string().optional(), name: z.string().optional() }).optional(),
});

const workloadSpec = z.object({
  suspend: z.boolean().optional(),
  sourceRef: sourceRef.optional(),
  chart: z.object({ spec: z.object({ sourceRef: sourceRef.optional() }).optional() }).optional(),
});

const workloadStatus = z.object({
  observedGeneration: z.number().optional(),
  conditions: z.array(condition).optional(),
  lastAppliedRevision: z.string().optional(),
  lastAppliedOriginRevision: z.string().optional(),
  lastAttemptedRevision: z.string().optional(),
});

/** The fields of a Flux GitRepository that the app reads. */
export interface FluxGitRepository extends KubeObject {
  spec: z.output<typeof gitRepositorySpec>;
}

/** The fields of a Flux Kustomization or HelmRelease that the app reads. */
export interface FluxWorkload extends KubeObject {
  spec: z.output<typeof workloadSpec>;
  status: z.output<typeof workloadStatus>;
}

export const FluxGitRepository: Kind<FluxGitRepository> = fluxResources.GitRepository;
export const Kustomization: Kind<FluxWorkload> = fluxResources.Kustomization;
export const HelmRelease: Kind<FluxWorkload> = fluxResources.HelmRelease;

type Raw = KubeObject & { spec?: unknown; status?: unknown };

/** Returns the part of a GitRepository that the cache keeps: the fields that the app reads. */
export function trimGitRepository({ apiVersion, kind, metadata, spec }: Raw): FluxGitRepository {
  const { generation: _generation, ...kept } = keptMetadata(metadata);
  return { apiVersion, kind, metadata: kept, spec: gitRepositorySpec.safeParse(spec).data ?? {} };
}

/**
 * Returns the part of a workload that the cache keeps: the fields that the app reads. A workload of another shape has no
 * known fields, and is therefore never ready.
 */
export function trimWorkload({ apiVersion, kind, metadata, spec, status }: Raw): FluxWorkload {
  return {
    apiVersion,
    kind,
    metadata: keptMetadata(metadata),
    spec: workloadSpec.safeParse(spec).data ?? {},
    status: workloadStatus.safeParse(status).data ?? {},
  };
}

/** Returns the GitRepository that a workload comes from; a HelmRelease may get its chart from one. */
export function gitSourceOf({ metadata, spec }: FluxWorkload): ObjectKey | undefined {
  const ref = spec.sourceRef ?? spec.chart?.spec?.sourceRef;
  if (ref?.kind !== FluxGitRepository.kind || ref.name === undefined) return undefined;
  const namespace = ref.namespace ?? metadata.namespace;
  return objectKey(namespace, ref.name);
}

/** Returns the Kustomization that applied a workload: kustomize-controller labels what it applies. */
export function applierOf({ metadata }: FluxWorkload): ObjectKey | undefined {
  const name = metadata.labels?.[`${Kustomization.group}/name`];
  const namespace = metadata.labels?.[`${Kustomization.group}/namespace`];
  return name === undefined || namespace === undefined ? undefined : { namespace, name };
}
