import type { Authenticator, RbacAuthorizer, ServiceAccountTokens, User } from '../auth/index.js';
import type { KubeObject } from '../object.js';
import type { Registry } from '../registry/registry.js';
import type { Resource } from '../registry/resource.js';
import type { JsonObject } from '../schema/types.js';
import type { Store } from '../store/store.js';

/** How a subresource shows an object as another kind. */
export interface AdmissionView {
  kind: { group: string; version: string; kind: string };
  show: (object: KubeObject) => JsonObject;
  /** Changes the object to what was made of the shown one. */
  restore: (object: KubeObject, shown: JsonObject) => void;
}

/** What admission is asked about a write, before it is stored. */
export interface AdmissionRequest {
  operation: 'CREATE' | 'UPDATE' | 'DELETE';
  resource: Resource;
  subresource: string | undefined;
  /** Empty for what is cluster-scoped. */
  namespace: string;
  name: string;
  /** The object to store; plugins that mutate change it in place. Absent for DELETE. */
  object: KubeObject | undefined;
  /** The stored object; absent for CREATE. */
  old: KubeObject | undefined;
  /** What webhooks see instead of the objects. */
  view?: AdmissionView | undefined;
  user: User;
  dryRun: boolean;
  /** The options of the request, such as its field manager, without kind and version. */
  options?: JsonObject;
  /** The object is one of many that a single request deletes. */
  ofCollection?: boolean;
  /** Adds a Warning header to the answer. */
  warn: (text: string) => void;
}

/** A step of admission; refuses by throwing ApiError. All mutating steps run before all validating ones. */
export interface AdmissionPlugin {
  mutate?: (request: AdmissionRequest, cluster: Cluster) => Promise<void> | void;
  validate?: (request: AdmissionRequest, cluster: Cluster) => Promise<void> | void;
}

/** The parts that requests and controllers share. */
export interface Cluster {
  store: Store;
  registry: Registry;
  rbac: RbacAuthorizer;
  authenticator: Authenticator;
  tokens: ServiceAccountTokens;
  /** Audiences of service-account tokens for this API server. */
  audiences: readonly [string, ...string[]];
  admission: readonly AdmissionPlugin[];
  now: () => Date;
  newUid: () => string;
  /** Five characters that complete a generateName. */
  newSuffix: () => string;
}

/** Who writes, and how. */
export interface WriteContext {
  user: User;
  /** Field manager of the write. */
  manager: string;
  dryRun: boolean;
  /** For admission: see AdmissionRequest. */
  options?: JsonObject;
  ofCollection?: boolean;
  warn: (text: string) => void;
}

/** Runs admission over a write. Throws what a plugin throws. */
export async function admit(cluster: Cluster, request: AdmissionRequest): Promise<void> {
  for (const plugin of cluster.admission) await plugin.mutate?.(request, cluster);
}

/** Runs the validating half of admission. Throws what a plugin throws. */
export async function review(cluster: Cluster, request: AdmissionRequest): Promise<void> {
  for (const plugin of cluster.admission) await plugin.validate?.(request, cluster);
}
