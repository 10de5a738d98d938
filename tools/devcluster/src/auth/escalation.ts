import { goQuote, jsonEqual } from '../schema/json.js';
import type { JsonObject } from '../schema/types.js';
import { forbidden } from './forbidden.js';
import type { RbacAuthorizer } from './rbac-authorizer.js';
import { isBinding, type Binding, type PolicyRule, type RbacObject, type Role } from './rbac-types.js';
import { describeRules, goList, uncovered } from './rules.js';
import { failure } from './status.js';
import { masters, type User } from './users.js';

const group = 'rbac.authorization.k8s.io';
const everything: PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Returns the 403 Status for a write of a role or binding that grants more permissions than the user has (404 if a
 * bound role is missing), or undefined if the write is allowed. The verbs `escalate` on the role and `bind` on the
 * bound role skip the check. Source: Kubernetes pkg/registry/rbac, policybased storages.
 */
export function checkEscalation(
  authorizer: RbacAuthorizer,
  user: User,
  object: RbacObject,
  before?: RbacObject,
): JsonObject | undefined {
  if (user.groups.includes(masters)) return undefined;
  return isBinding(object)
    ? checkBinding(authorizer, user, object, before as Binding | undefined)
    : checkRole(authorizer, user, object, before as Role | undefined);
}

function checkRole(
  authorizer: RbacAuthorizer,
  user: User,
  role: Role,
  before?: Role,
): JsonObject | undefined {
  const { name, namespace = '' } = role.metadata;
  const resource = role.kind === 'Role' ? 'roles' : 'clusterroles';
  if (authorizer.authorize(user, { verb: 'escalate', group: group, resource, name, namespace }).allowed)
    return undefined;
  const unchanged =
    before !== undefined &&
    jsonEqual(before.rules ?? [], role.rules ?? []) &&
    jsonEqual(before.aggregationRule ?? null, role.aggregationRule ?? null);
  if (unchanged) return undefined;
  const held = authorizer.rulesFor(user, namespace);
  const exceeded = whyExceeded(user, held, role.rules ?? []);
  if (exceeded !== undefined) return forbidden(group, resource, name, exceeded);
  if (role.aggregationRule && uncovered(held, everything).length > 0) {
    return forbidden(group, resource, name, 'must have cluster-admin privileges to use the aggregationRule');
  }
  return undefined;
}

function checkBinding(
  authorizer: RbacAuthorizer,
  user: User,
  binding: Binding,
  before?: Binding,
): JsonObject | undefined {
  const { roleRef, metadata, kind } = binding;
  const namespace = metadata.namespace ?? '';
  const unchanged =
    before !== undefined &&
    jsonEqual(before.subjects ?? [], binding.subjects ?? []) &&
    jsonEqual(before.roleRef, roleRef);
  if (unchanged) return undefined;
  const bound = roleRef.kind === 'Role' ? 'roles' : 'clusterroles';
  const bind = { verb: 'bind', group: group, resource: bound, name: roleRef.name, namespace };
  if (authorizer.authorize(user, bind).allowed) return undefined;
  const rules = authorizer.rulesOf(roleRef, namespace);
  if (rules === undefined) {
    const missing = roleRef.kind.toLowerCase();
    const message = `${missing}.${group} ${goQuote(roleRef.name)} not found`;
    return failure(404, 'NotFound', message, { name: roleRef.name, group: group, kind: missing });
  }
  const exceeded = whyExceeded(user, authorizer.rulesFor(user, namespace), rules);
  const resource = kind === 'RoleBinding' ? 'rolebindings' : 'clusterrolebindings';
  return exceeded === undefined ? undefined : forbidden(group, resource, metadata.name, exceeded);
}

function whyExceeded(
  { username, groups }: User,
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): string | undefined {
  const missing = uncovered(held, wanted);
  if (missing.length === 0) return undefined;
  const who = `user ${goQuote(username)} (groups=${goList(groups)})`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${describeRules(missing).join('\n')}`;
}
