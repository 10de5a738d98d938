import { argoApplication, fluxResources, type FluxKind, type Kind, type KubeObject } from '@interlock/api';

/** An object of another project; its fields are as that project documents them. */
export interface ForeignObject extends KubeObject {
  spec?: Readonly<Record<string, unknown>>;
  status?: Readonly<Record<string, unknown>>;
}

export type ForeignKind = Kind<ForeignObject>;

/** The kinds of Flux that have `spec.suspend`. */
export const fluxKinds: Readonly<Record<FluxKind, ForeignKind>> = fluxResources;

/** Argo CD's. */
export const argoKinds = { Application: argoApplication } as const satisfies Record<string, ForeignKind>;
