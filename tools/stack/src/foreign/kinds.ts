import { argoApplication, fluxResources, type FluxKind, type Kind, type KubeObject } from '@interlock/api';

/** An object of another project, with the fields that the project documents. */
export interface ForeignObject extends KubeObject {
  spec?: Readonly<Record<string, unknown>>;
  status?: Readonly<Record<string, unknown>>;
}

export type ForeignKind = Kind<ForeignObject>;

/** The kinds of Flux that have `spec.suspend`. */
export const fluxKinds: Readonly<Record<FluxKind, ForeignKind>> = fluxResources;

/** The kind of Argo CD. */
export const argoKinds = { Application: argoApplication } as const satisfies Record<string, ForeignKind>;
