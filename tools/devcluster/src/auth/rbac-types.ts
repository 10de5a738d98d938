import type { JsonObject } from '../schema/types.js';

/** The part of rbac.authorization.k8s.io/v1 that an authorizer reads. */
export interface PolicyRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

export interface RoleRef {
  apiGroup?: string;
  kind: string;
  name: string;
}

export interface Subject {
  kind: string;
  name: string;
  namespace?: string;
  apiGroup?: string;
}

interface RbacMeta {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** A Role or ClusterRole. */
export interface Role {
  kind: 'Role' | 'ClusterRole';
  metadata: RbacMeta;
  rules?: PolicyRule[] | null;
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] } | null;
}

/** A RoleBinding or ClusterRoleBinding. */
export interface Binding {
  kind: 'RoleBinding' | 'ClusterRoleBinding';
  metadata: RbacMeta;
  roleRef: RoleRef;
  subjects?: Subject[] | null;
}

export type RbacObject = Role | Binding;

/** Returns whether an object binds a role to subjects. */
export function isBinding(object: RbacObject): object is Binding {
  return object.kind === 'RoleBinding' || object.kind === 'ClusterRoleBinding';
}

/**
 * Returns a stored RBAC object as the typed one; undefined for other kinds. The schema of the kind has been checked
 * when the object was stored.
 */
export function rbacObject(object: JsonObject): RbacObject | undefined {
  const kinds = ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'];
  return kinds.includes(String(object['kind'])) ? (object as JsonObject & RbacObject) : undefined;
}

/** The subject of a request: a resource, or a non-resource path. */
export type Attributes = ResourceAttributes | NonResourceAttributes;

interface ResourceAttributes {
  verb: string;
  group: string;
  resource: string;
  subresource?: string | undefined;
  name?: string | undefined;
  namespace?: string | undefined;
}

interface NonResourceAttributes {
  verb: string;
  path: string;
}

/**
 * The decision of the authorizer. `reason` names the binding that allowed the request, or the reason why roles could
 * not be resolved.
 */
export interface Decision {
  allowed: boolean;
  reason: string;
}
