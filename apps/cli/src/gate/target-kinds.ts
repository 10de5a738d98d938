import { fluxKinds, PromotionStrategy, type FluxKind, type GateTargetKind, type Kind } from '@interlock/api';
import { pluralOf } from './override.js';

/* Flux documentation, "API reference". */
const groups: Readonly<Record<FluxKind, readonly [group: string, version: string]>> = {
  GitRepository: ['source.toolkit.fluxcd.io', 'v1'],
  OCIRepository: ['source.toolkit.fluxcd.io', 'v1'],
  Bucket: ['source.toolkit.fluxcd.io', 'v1'],
  HelmRepository: ['source.toolkit.fluxcd.io', 'v1'],
  HelmChart: ['source.toolkit.fluxcd.io', 'v1'],
  Kustomization: ['kustomize.toolkit.fluxcd.io', 'v1'],
  HelmRelease: ['helm.toolkit.fluxcd.io', 'v2'],
};

/** @returns how to address a kind that can be bound. */
export function targetKind(kind: GateTargetKind): Kind {
  if (!isFlux(kind)) return PromotionStrategy;
  const [group, version] = groups[kind];
  return { group, version, kind, plural: pluralOf(kind), namespaced: true };
}

function isFlux(kind: GateTargetKind): kind is FluxKind {
  return (fluxKinds as readonly string[]).includes(kind);
}
