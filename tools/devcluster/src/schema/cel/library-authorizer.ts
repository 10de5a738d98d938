import type { Environment } from '@marcbachmann/cel-js';

/** The subject of an authorization check: an operation on a resource, or a non-resource path. */
type AccessQuestion =
  | {
      verb: string;
      group: string;
      resource: string;
      subresource: string;
      namespace: string;
      name: string;
    }
  | { verb: string; path: string };

/** Checks the permissions of a user. */
export interface Access {
  decide(question: AccessQuestion): { allowed: boolean; reason: string };
  /** Returns the authorizer of a ServiceAccount. */
  ofServiceAccount(namespace: string, name: string): Access;
}

/** The value of `authorizer`. */
export class CelAuthorizer {
  constructor(
    readonly access: Access,
    /** The value of `authorizer.requestResource`. */
    readonly requestResource: ResourceCheck,
  ) {}
}

class PathCheck {
  constructor(
    readonly access: Access,
    readonly path: string,
  ) {}
}

class GroupCheck {
  constructor(
    readonly access: Access,
    readonly group: string,
  ) {}
}

type Target = Omit<Extract<AccessQuestion, { resource: string }>, 'verb'>;

/** The resource, or part of a resource, in a check of an expression. */
export class ResourceCheck {
  constructor(
    readonly access: Access,
    readonly target: Target,
  ) {}

  /** Returns the check for a more specific target. */
  narrowed(part: Partial<Target>): ResourceCheck {
    return new ResourceCheck(this.access, { ...this.target, ...part });
  }
}

class AccessDecision {
  constructor(
    readonly allowed: boolean,
    readonly reason: string,
  ) {}
}

function decided(access: Access, question: AccessQuestion): AccessDecision {
  const { allowed, reason } = access.decide(question);
  return new AccessDecision(allowed, reason);
}

/** Registers Kubernetes' authz library, over the values of {@link CelAuthorizer}. */
export function registerAuthorizer(env: Environment): void {
  const named = (name: string): string => `kubernetes.authorization.${name}`;
  const [authorizer, path, group] = [named('Authorizer'), named('PathCheck'), named('GroupCheck')];
  const [resource, decision] = [named('ResourceCheck'), named('Decision')];
  env
    .registerType(path, PathCheck)
    .registerType(group, GroupCheck)
    .registerType(resource, ResourceCheck)
    .registerType(decision, AccessDecision)
    .registerType(authorizer, { ctor: CelAuthorizer, fields: { requestResource: resource } })
    .registerFunction(
      `${authorizer}.path(string): ${path}`,
      (a: CelAuthorizer, of: string) => new PathCheck(a.access, of),
    )
    .registerFunction(
      `${authorizer}.group(string): ${group}`,
      (a: CelAuthorizer, of: string) => new GroupCheck(a.access, of),
    )
    .registerFunction(
      `${authorizer}.serviceAccount(string, string): ${authorizer}`,
      (a: CelAuthorizer, namespace: string, name: string) =>
        new CelAuthorizer(a.access.ofServiceAccount(namespace, name), a.requestResource),
    )
    .registerFunction(
      `${group}.resource(string): ${resource}`,
      (g: GroupCheck, of: string) =>
        new ResourceCheck(g.access, {
          group: g.group,
          resource: of,
          subresource: '',
          namespace: '',
          name: '',
        }),
    )
    .registerFunction(`${path}.check(string): ${decision}`, (p: PathCheck, verb: string) =>
      decided(p.access, { verb, path: p.path }),
    )
    .registerFunction(`${resource}.check(string): ${decision}`, (r: ResourceCheck, verb: string) =>
      decided(r.access, { verb, ...r.target }),
    );
  registerTargets(env, resource);
  registerDecisions(env, decision);
}

/**
 * Registers the functions that narrow a check. Field and label selectors have no effect, because the authorizer of
 * the server does not read them.
 */
function registerTargets(env: Environment, type: string): void {
  for (const part of ['subresource', 'namespace', 'name'] as const) {
    env.registerFunction(`${type}.${part}(string): ${type}`, (r: ResourceCheck, value: string) =>
      r.narrowed({ [part]: value }),
    );
  }
  for (const selector of ['fieldSelector', 'labelSelector']) {
    env.registerFunction(`${type}.${selector}(string): ${type}`, (r: ResourceCheck) => r);
  }
}

function registerDecisions(env: Environment, type: string): void {
  env
    .registerFunction(`${type}.allowed(): bool`, (d: AccessDecision) => d.allowed)
    .registerFunction(`${type}.reason(): string`, (d: AccessDecision) => d.reason)
    .registerFunction(`${type}.errored(): bool`, () => false)
    .registerFunction(`${type}.error(): string`, () => '');
}
