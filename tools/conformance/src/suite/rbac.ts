import type { Scope } from './scope.js';

export const rbacGroup = 'rbac.authorization.k8s.io';
const root = `/apis/${rbacGroup}/v1`;

/** A rule of a role. */
export interface Rule {
  verbs: readonly string[];
  apiGroups?: readonly string[];
  resources?: readonly string[];
  resourceNames?: readonly string[];
  nonResourceURLs?: readonly string[];
}

export interface Subject {
  kind: string;
  name: string;
  namespace?: string;
  apiGroup?: string;
}

/** Returns the path of the roles of a namespace, or of one of them. */
export function rolesPath(namespace: string, name?: string): string {
  return namespaced(namespace, 'roles', name);
}

/** Returns the path of the bindings of a namespace, or of one of them. */
export function roleBindingsPath(namespace: string, name?: string): string {
  return namespaced(namespace, 'rolebindings', name);
}

/** Returns the path of the ClusterRoles, or of one of them. */
export function clusterRolesPath(name?: string): string {
  return `${root}/clusterroles${name === undefined ? '' : `/${name}`}`;
}

/** Returns the path of the ClusterRoleBindings, or of one of them. */
export function clusterRoleBindingsPath(name?: string): string {
  return `${root}/clusterrolebindings${name === undefined ? '' : `/${name}`}`;
}

function namespaced(namespace: string, plural: string, name?: string): string {
  return `${root}/namespaces/${namespace}/${plural}${name === undefined ? '' : `/${name}`}`;
}

/** Returns a rule for resources of the core group. */
export function coreRule(verbs: readonly string[], ...resources: string[]): Rule {
  return { verbs, apiGroups: [''], resources };
}

export function user(name: string): Subject {
  return { kind: 'User', name, apiGroup: rbacGroup };
}

export function group(name: string): Subject {
  return { kind: 'Group', name, apiGroup: rbacGroup };
}

/** Returns a Role to create. */
export function role(name: string, rules: readonly Rule[], metadata: object = {}): object {
  return { apiVersion: `${rbacGroup}/v1`, kind: 'Role', metadata: { name, ...metadata }, rules };
}

/** Returns a ClusterRole to create. */
export function clusterRole(name: string, rules: readonly Rule[], metadata: object = {}): object {
  return { apiVersion: `${rbacGroup}/v1`, kind: 'ClusterRole', metadata: { name, ...metadata }, rules };
}

/** Returns a binding to create. */
export function binding(
  kind: 'RoleBinding' | 'ClusterRoleBinding',
  name: string,
  roleRef: { kind: string; name: string },
  subjects: readonly Subject[],
): object {
  return {
    apiVersion: `${rbacGroup}/v1`,
    kind,
    metadata: { name },
    roleRef: { apiGroup: rbacGroup, ...roleRef },
    subjects,
  };
}

/** Creates an RBAC object. @throws Error with the answer when the server refuses. */
export async function createAccess(scope: Scope, path: string, object: object): Promise<void> {
  const { status, text } = await scope.api.post(path, object);
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
}

/** Grants rules in a namespace, by default the group's. @returns the name of both the Role and the RoleBinding. */
export async function grant(
  scope: Scope,
  subjects: readonly Subject[],
  rules: readonly Rule[],
  namespace = scope.namespace,
): Promise<string> {
  const name = scope.name('grant');
  await createAccess(scope, rolesPath(namespace), role(name, rules));
  const bound = binding('RoleBinding', name, { kind: 'Role', name }, subjects);
  await createAccess(scope, roleBindingsPath(namespace), bound);
  return name;
}

/** Grants rules in the whole cluster. @returns the name of both the ClusterRole and the ClusterRoleBinding. */
export async function grantCluster(
  scope: Scope,
  subjects: readonly Subject[],
  rules: readonly Rule[],
): Promise<string> {
  const name = scope.name('grant');
  scope.deleteAfterwards(clusterRolesPath(name));
  scope.deleteAfterwards(clusterRoleBindingsPath(name));
  await createAccess(scope, clusterRolesPath(), clusterRole(name, rules));
  const bound = binding('ClusterRoleBinding', name, { kind: 'ClusterRole', name }, subjects);
  await createAccess(scope, clusterRoleBindingsPath(), bound);
  return name;
}
