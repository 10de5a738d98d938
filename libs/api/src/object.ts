/** The part of `metadata` that this project reads or writes (Kubernetes API conventions, "Metadata"). */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: unknown[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** Identifies one object of a known kind. `namespace` is absent for cluster-scoped kinds. */
export interface ObjectKey {
  namespace?: string | undefined;
  name: string;
}

/** The standard condition (k8s.io/apimachinery `metav1.Condition`). */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  observedGeneration?: number | undefined;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

/** How a kind is addressed through the Kubernetes API; `T` is the type of its objects. */
export interface Kind<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Carries the object type. It never exists at run time. */
  readonly _object?: T;
}

/** Returns `group/version`, or `version` alone for the core group. */
export function apiVersionOf(kind: Pick<Kind, 'group' | 'version'>): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

/** Returns the `apiVersion` and `kind` of objects of a kind (metav1.TypeMeta). */
export function typeMeta(kind: Pick<Kind, 'group' | 'version' | 'kind'>): {
  apiVersion: string;
  kind: string;
} {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind };
}

/** Returns the key of an object, for use in caches and queues. */
export function keyOf({ metadata }: { metadata: ObjectKey }): ObjectKey {
  return objectKey(metadata.namespace, metadata.name);
}

/** Returns the key of an object by its name and namespace; without a namespace, the key of a cluster-scoped object. */
export function objectKey(namespace: string | undefined, name: string): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name };
}

/** Returns `namespace/name`, or `name` for cluster-scoped objects. */
export function keyString(key: ObjectKey): string {
  return key.namespace === undefined ? key.name : `${key.namespace}/${key.name}`;
}

/** Returns the key in `namespace/name` or `name`; neither part can contain a slash. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** Returns a time in the format of the API: RFC 3339, UTC, whole seconds. `ms` is in milliseconds since the epoch. */
export function timestampOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Returns a time of the API in milliseconds since the epoch; undefined if it is absent or is not a time. */
export function parseTimestamp(timestamp: string | undefined): number | undefined {
  const ms = Date.parse(timestamp ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
