import type { Kind } from './object.js';

const source = { group: 'source.toolkit.fluxcd.io', version: 'v1', namespaced: true } as const;

/**
 * The Flux kinds that have `spec.suspend`, by name (Flux documentation, "API reference"). They belong to Flux; this
 * project defines none of them.
 */
export const fluxResources = {
  GitRepository: { ...source, kind: 'GitRepository', plural: 'gitrepositories' },
  OCIRepository: { ...source, kind: 'OCIRepository', plural: 'ocirepositories' },
  Bucket: { ...source, kind: 'Bucket', plural: 'buckets' },
  HelmRepository: { ...source, kind: 'HelmRepository', plural: 'helmrepositories' },
  HelmChart: { ...source, kind: 'HelmChart', plural: 'helmcharts' },
  Kustomization: {
    group: 'kustomize.toolkit.fluxcd.io',
    version: 'v1',
    kind: 'Kustomization',
    plural: 'kustomizations',
    namespaced: true,
  },
  HelmRelease: {
    group: 'helm.toolkit.fluxcd.io',
    version: 'v2',
    kind: 'HelmRelease',
    plural: 'helmreleases',
    namespaced: true,
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type FluxKind = keyof typeof fluxResources;
