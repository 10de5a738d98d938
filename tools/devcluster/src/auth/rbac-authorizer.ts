import { goQuote } from '../schema/json.js';
import {
  isBinding,
  type Attributes,
  type Binding,
  type Decision,
  type PolicyRule,
  type RbacObject,
  type RoleRef,
  type Subject,
} from './rbac-types.js';
import { ruleAllows } from './rules.js';
import { masters, serviceAccountName, type User } from './users.js';

interface Grant {
  binding: Binding;
  subject: Subject;
}
/** Grants of a scope, by subject and then by name of the binding. */
type Grants = Map<string, Map<string, Grant>>;

const cluster = '';

/**
 * Role-based access control over indexed roles and bindings: a check reads only the bindings that name the user
 * or one of its groups. Source: Kubernetes plugin/pkg/auth/authorizer/rbac.
 */
export class RbacAuthorizer {
  readonly #rules = new Map<string, readonly PolicyRule[]>();
  readonly #bindings = new Map<string, Binding>();
  /** Grants by namespace; '' contains cluster-wide grants. */
  readonly #grants = new Map<string, Grants>();

  constructor(objects: Iterable<RbacObject> = []) {
    for (const object of objects) this.put(object);
  }

  /** Adds or replaces a role or binding. */
  put(object: RbacObject): void {
    this.remove(object);
    const key = objectKey(object);
    if (!isBinding(object)) {
      this.#rules.set(key, object.rules ?? []);
      return;
    }
    this.#bindings.set(key, object);
    const grants = this.#grants.get(scope(object)) ?? new Map<string, Map<string, Grant>>();
    this.#grants.set(scope(object), grants);
    for (const subject of object.subjects ?? []) {
      const name = subjectKey(subject, scope(object));
      const named = name === undefined ? undefined : (grants.get(name) ?? new Map<string, Grant>());
      if (name === undefined || named === undefined || named.has(key)) continue;
      grants.set(name, named.set(key, { binding: object, subject }));
    }
  }

  /** Removes a role or binding. */
  remove(object: RbacObject): void {
    const key = objectKey(object);
    this.#rules.delete(key);
    const binding = this.#bindings.get(key);
    if (binding === undefined) return;
    this.#bindings.delete(key);
    const grants = this.#grants.get(scope(binding));
    for (const subject of binding.subjects ?? []) {
      const name = subjectKey(subject, scope(binding)) ?? '';
      grants?.get(name)?.delete(key);
      if (grants?.get(name)?.size === 0) grants.delete(name);
    }
  }

  /** Returns whether the request is allowed; members of system:masters may do everything. */
  authorize(user: User, attributes: Attributes): Decision {
    if (user.groups.includes(masters)) return { allowed: true, reason: '' };
    const namespace = 'path' in attributes ? cluster : (attributes.namespace ?? cluster);
    const missing = new Set<string>();
    for (const grant of this.#grantsFor(user, namespace)) {
      const rules = this.rulesOf(grant.binding.roleRef, scope(grant.binding));
      if (rules === undefined) missing.add(describeMissing(grant.binding.roleRef));
      else if (rules.some((rule) => ruleAllows(rule, attributes))) {
        return { allowed: true, reason: `RBAC: allowed by ${describeGrant(grant)}` };
      }
    }
    const [first, ...others] = missing;
    if (first === undefined) return { allowed: false, reason: '' };
    return {
      allowed: false,
      reason: `RBAC: ${others.length === 0 ? first : `[${[first, ...others].join(', ')}]`}`,
    };
  }

  /**
   * Returns all rules that apply to the user in a namespace ('' for the cluster scope), without the bypass of
   * system:masters.
   */
  rulesFor(user: User, namespace: string): PolicyRule[] {
    return [...this.#grantsFor(user, namespace)].flatMap(({ binding }) => [
      ...(this.rulesOf(binding.roleRef, scope(binding)) ?? []),
    ]);
  }

  /** Returns the rules of a role that a binding of the namespace refers to; undefined when there is no such role. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#rules.get(keyOf(kind, kind === 'Role' ? namespace : cluster, name));
  }

  *#grantsFor({ username, groups }: User, namespace: string): Generator<Grant> {
    const names = [keyOf('User', '', username), ...groups.map((group) => keyOf('Group', '', group))];
    for (const where of new Set([cluster, namespace])) {
      for (const name of names) yield* this.#grants.get(where)?.get(name)?.values() ?? [];
    }
  }
}

function scope(object: RbacObject): string {
  return object.metadata.namespace ?? cluster;
}

function objectKey(object: RbacObject): string {
  return keyOf(object.kind, scope(object), object.metadata.name);
}

function keyOf(kind: string, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

/** Returns the key of a subject. A ServiceAccount is a user, by default in the namespace of the binding. */
function subjectKey({ kind, name, namespace }: Subject, bindingNamespace: string): string | undefined {
  if (kind === 'User' || kind === 'Group') return keyOf(kind, '', name);
  if (kind !== 'ServiceAccount') return undefined;
  const home = namespace === undefined || namespace === '' ? bindingNamespace : namespace;
  return home === '' ? undefined : keyOf('User', '', serviceAccountName(home, name));
}

function describeGrant({ binding, subject }: Grant): string {
  const home = scope(binding);
  const name = home === cluster ? binding.metadata.name : `${binding.metadata.name}/${home}`;
  const who =
    subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace ?? home}` : subject.name;
  const { kind, name: role } = binding.roleRef;
  return `${binding.kind} ${goQuote(name)} of ${kind} ${goQuote(role)} to ${subject.kind} ${goQuote(who)}`;
}

function describeMissing({ kind, name }: RoleRef): string {
  if (kind !== 'Role' && kind !== 'ClusterRole') return `unsupported role reference kind: ${goQuote(kind)}`;
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${goQuote(name)} not found`;
}
