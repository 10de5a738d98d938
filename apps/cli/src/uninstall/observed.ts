import type { KubeObject } from '@interlock/api';
import type { Kind } from '@interlock/api';
import type { HoldMarks } from '@interlock/gating';
import type { Deployment, Lease } from '@interlock/kube';

/** An object, and how to address it. */
export interface Found {
  kind: Kind;
  object: KubeObject;
}

/** An object of one of the project's kinds. */
export interface FoundObject extends Found {
  /** False where another project defines the kind, as ugallu does with SecurityEvents: the object is not removed. */
  isOurs: boolean;
}

/** An object of Flux that the gate controller has left held. */
export interface FoundHold extends Found {
  marks: HoldMarks;
}

/** What could not be read. */
export interface Unread {
  /** As RBAC names it: `gatebindings.gating.toolkit.fluxcd.io`. */
  resource: string;
  message: string;
}

/** What is left of an installation. */
export interface Observed {
  /** Absent: all namespaces, and what has none. */
  namespace?: string;
  leases: readonly Lease[];
  /** Those of the charts. */
  deployments: readonly Deployment[];
  objects: readonly FoundObject[];
  held: readonly FoundHold[];
  /** Configurations of admission webhooks. */
  webhooks: readonly Found[];
  /** Cluster-wide roles and their bindings, of the charts. */
  roles: readonly Found[];
  /** CustomResourceDefinitions of the project. */
  definitions: readonly Found[];
  unread: readonly Unread[];
}
