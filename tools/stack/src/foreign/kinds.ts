import type { Kind, KubeObject } from '@interlock/api';

/** An object of another project; its fields are as that project documents them. */
export interface ForeignObject extends KubeObject {
  spec?: Readonly<Record<string, unknown>>;
  status?: Readonly<Record<string, unknown>>;
}

export type ForeignKind = Kind<ForeignObject>;

const namespaced = true;
const source = { group: 'source.toolkit.fluxcd.io', version: 'v1', namespaced };

/** The kinds of Flux that have `spec.suspend`. */
export const fluxKinds = {
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
    namespaced,
  },
  HelmRelease: {
    group: 'helm.toolkit.fluxcd.io',
    version: 'v2',
    kind: 'HelmRelease',
    plural: 'helmreleases',
    namespaced,
  },
} as const satisfies Record<string, ForeignKind>;

/** Argo CD's. */
export const argoKinds = {
  Application: {
    group: 'argoproj.io',
    version: 'v1alpha1',
    kind: 'Application',
    plural: 'applications',
    namespaced,
  },
} as const satisfies Record<string, ForeignKind>;
