import type { KubeObject } from '@interlock/api';
import type { Kind } from '@interlock/api';
import type { HoldMarks } from '@interlock/gating';
import type { Deployment, Lease } from '@interlock/kube';

/** An object, and how it is addressed. */
export interface Found {
  kind: Kind;
  object: KubeObject;
}

/** An object of one of the project's kinds. */
export interface FoundObject extends Found {
  /** False if another project defines the kind, as ugallu does with SecurityEvents: the object is not removed. */
  isOurs: boolean;
}

/** A Flux object that the gate-controller has left held. */
export interface FoundHold extends Found {
  marks: HoldMarks;
}

/** A resource that could not be read. */
export interface Unread {
  /** Name as used by RBAC: `gatebindings.gating.toolkit.fluxcd.io`. */
  resource: string;
  message: string;
}

/** The remains of an installation. */
export interface Observed {
  /** Absent for all namespaces and cluster-scoped objects. */
  namespace?: string;
  leases: readonly Lease[];
  /** Deployments of the charts. */
  deployments: readonly Deployment[];
  objects: readonly FoundObject[];
  held: readonly FoundHold[];
  /** Configurations of admission webhooks. */
  webhooks: readonly Found[];
  /** Cluster-wide roles and their bindings, installed by the charts. */
  roles: readonly Found[];
  /** CustomResourceDefinitions of the project. */
  definitions: readonly Found[];
  unread: readonly Unread[];
}
