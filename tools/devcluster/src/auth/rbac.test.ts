import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { reviewAccess, reviewRules, reviewSelf } from './access-review.js';
import { aggregateRules } from './aggregation.js';
import { bootstrapClusterRoleBindings, bootstrapClusterRoles } from './bootstrap-roles.js';
import { forbiddenRequest } from './forbidden.js';
import { RbacAuthorizer } from './rbac-authorizer.js';
import {
  rbacObject,
  type Attributes,
  type Binding,
  type PolicyRule,
  type RbacObject,
  type Role,
  type Subject,
} from './rbac-types.js';
import { ruleAllows } from './rules.js';
import { adminUser, anonymous, type User } from './users.js';

const ann: User = { username: 'ann', groups: ['dev', 'system:authenticated'] };
const robot: User = {
  username: 'system:serviceaccount:team:robot',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:team', 'system:authenticated'],
};
const readPods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] };

function role(name: string, rules: PolicyRule[], namespace?: string): Role {
  return namespace === undefined
    ? { kind: 'ClusterRole', metadata: { name }, rules }
    : { kind: 'Role', metadata: { name, namespace }, rules };
}

function binding(name: string, ref: string, subjects: Subject[], namespace?: string): Binding {
  const [kind = '', roleName = ''] = ref.split('/');
  const metadata = namespace === undefined ? { name } : { name, namespace };
  return {
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: roleName },
    subjects,
  };
}

const pods = (verb: string, namespace = 'team', more: object = {}): Attributes => ({
  verb,
  group: '',
  resource: 'pods',
  namespace,
  ...more,
});

describe('ruleAllows', () => {
  const all: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
  const named: PolicyRule = { ...readPods, resourceNames: ['a'] };
  const scale: PolicyRule = { verbs: ['get'], apiGroups: ['apps'], resources: ['*/scale'] };
  const urls: PolicyRule = { verbs: ['get'], nonResourceURLs: ['/healthz', '/apis/*'] };
  it.each<[string, PolicyRule, Attributes, boolean]>([
    ['a verb of the rule', readPods, pods('list'), true],
    ['another verb', readPods, pods('delete'), false],
    ['a subresource that is named', readPods, pods('get', 't', { subresource: 'log' }), true],
    ['a subresource that is not named', readPods, pods('get', 't', { subresource: 'exec' }), false],
    ['another group', readPods, { ...pods('get'), group: 'apps' } as Attributes, false],
    [
      'any request with a rule of stars',
      all,
      { verb: 'x', group: 'y', resource: 'z', subresource: 'w' },
      true,
    ],
    ['a path with a rule of resource stars', all, { verb: 'get', path: '/healthz' }, false],
    ['the named object', named, pods('get', 't', { name: 'a' }), true],
    ['another object', named, pods('get', 't', { name: 'b' }), false],
    ['a list with a named object', named, pods('list'), false],
    [
      'a subresource of every resource',
      scale,
      { verb: 'get', group: 'apps', resource: 'deployments', subresource: 'scale' },
      true,
    ],
    [
      'a resource with a rule for its subresource',
      scale,
      { verb: 'get', group: 'apps', resource: 'deployments' },
      false,
    ],
    ['a path', urls, { verb: 'get', path: '/healthz' }, true],
    ['a path below a wildcard', urls, { verb: 'get', path: '/apis/apps' }, true],
    ['a path below a named path', urls, { verb: 'get', path: '/healthz/x' }, false],
  ])('decides on %s', (_, rule, attributes, allowed) => {
    expect(ruleAllows(rule, attributes)).toBe(allowed);
  });
});

describe('RbacAuthorizer', () => {
  it('reports the binding that allowed the request', () => {
    const rbac = new RbacAuthorizer([
      role('reader', [readPods]),
      role('local', [{ ...readPods, verbs: ['delete'] }], 'team'),
      binding('devs', 'ClusterRole/reader', [
        { kind: 'User', name: 'bob' },
        { kind: 'Group', name: 'dev' },
      ]),
      binding('mine', 'Role/local', [{ kind: 'ServiceAccount', name: 'robot' }], 'team'),
      binding(
        'named',
        'ClusterRole/reader',
        [{ kind: 'ServiceAccount', name: 'robot', namespace: 'team' }],
        'other',
      ),
    ]);
    expect(rbac.authorize(ann, pods('get', 'anywhere'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "devs" of ClusterRole "reader" to Group "dev"',
    });
    expect(rbac.authorize(robot, pods('delete'))).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "mine/team" of Role "local" to ServiceAccount "robot/team"',
    });
    expect(rbac.authorize(robot, pods('get', 'other'))).toMatchObject({
      allowed: true,
      reason:
        'RBAC: allowed by RoleBinding "named/other" of ClusterRole "reader" to ServiceAccount "robot/team"',
    });
    expect(rbac.authorize(robot, pods('get', 'team'))).toEqual({ allowed: false, reason: '' });
    expect(rbac.authorize(ann, pods('delete'))).toEqual({ allowed: false, reason: '' });
  });

  it('allows every request of system:masters', () => {
    expect(new RbacAuthorizer().authorize(adminUser, { verb: 'get', path: '/x' })).toEqual({
      allowed: true,
      reason: '',
    });
  });

  it('names missing roles when no binding allows the request', () => {
    const me = [{ kind: 'User', name: 'ann' }];
    const rbac = new RbacAuthorizer([
      binding('a', 'ClusterRole/gone', me),
      binding('b', 'Role/lost', me, 'team'),
    ]);
    expect(rbac.authorize(ann, pods('get', 'x')).reason).toBe(
      'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    );
    expect(rbac.authorize(ann, pods('get')).reason).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "lost" not found]',
    );
  });

  it('applies changes of roles and bindings', () => {
    const bound = binding('b', 'ClusterRole/reader', [{ kind: 'User', name: 'ann' }]);
    const rbac = new RbacAuthorizer([role('reader', [readPods]), bound]);
    const may = (user: User): boolean => rbac.authorize(user, pods('get')).allowed;
    expect(may(ann)).toBe(true);
    rbac.put({ ...bound, subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'team' }] });
    expect([may(ann), may(robot)]).toEqual([false, true]);
    rbac.put(role('reader', []));
    expect(may(robot)).toBe(false);
    rbac.put(role('reader', [readPods]));
    rbac.remove(bound);
    expect(may(robot)).toBe(false);
  });

  it('returns the same decisions as a scan of all bindings, for any order of changes', () => {
    const name = fc.constantFrom('a', 'b');
    const where = fc.option(fc.constantFrom('n1', 'n2'), { nil: undefined });
    const rules = fc.array(
      fc.record({
        verbs: fc.subarray(['get', 'list', '*']),
        apiGroups: fc.constant('').map((group) => [group]),
        resources: fc.subarray(['pods', '*']),
      }),
      { maxLength: 2 },
    );
    const subjects = fc.array(
      fc.record({
        kind: fc.constantFrom('User', 'Group', 'ServiceAccount', 'Other'),
        name: fc.constantFrom('ann', 'dev', 'robot'),
      }),
      { maxLength: 3 },
    );
    const object: fc.Arbitrary<RbacObject> = fc.oneof(
      fc.tuple(name, rules, where).map((parts) => role(...parts)),
      fc
        .tuple(
          name,
          fc.tuple(fc.constantFrom('Role', 'ClusterRole'), name).map((ref) => ref.join('/')),
          subjects,
          where,
        )
        .map((parts) => binding(...parts)),
    );
    const steps = fc.array(fc.tuple(fc.boolean(), object), { maxLength: 20 });
    const user = fc.constantFrom<User>(ann, { ...robot, username: 'system:serviceaccount:n1:robot' });
    fc.assert(
      fc.property(steps, user, fc.constantFrom('get', 'watch'), where, (changes, who, verb, namespace) => {
        const rbac = new RbacAuthorizer();
        const stored = new Map<string, RbacObject>();
        for (const [put, item] of changes) {
          const key = [item.kind, item.metadata.namespace ?? '', item.metadata.name].join('/');
          if (put) stored.set(key, item);
          else stored.delete(key);
          if (put) rbac.put(item);
          else rbac.remove(item);
        }
        const attributes: Attributes = { verb, group: '', resource: 'pods', namespace };
        expect(rbac.authorize(who, attributes).allowed).toBe(scan([...stored.values()], who, attributes));
      }),
      { numRuns: 500 },
    );
  });
});

/** Returns whether a request is allowed, by the definition of RBAC and without any index. */
function scan(objects: RbacObject[], user: User, attributes: Attributes): boolean {
  const namespace = 'path' in attributes ? undefined : attributes.namespace;
  return objects.some((bound) => {
    if (!('roleRef' in bound)) return false;
    const home = bound.metadata.namespace;
    if (home !== undefined && home !== namespace) return false;
    const names = (bound.subjects ?? []).some(({ kind, name }) => {
      if (kind === 'User') return name === user.username;
      if (kind === 'Group') return user.groups.includes(name);
      return (
        kind === 'ServiceAccount' &&
        home !== undefined &&
        user.username === `system:serviceaccount:${home}:${name}`
      );
    });
    const { kind, name } = bound.roleRef;
    const granted = objects.find(
      (object) =>
        object.kind === kind &&
        object.metadata.name === name &&
        object.metadata.namespace === (kind === 'Role' ? home : undefined),
    );
    return (
      names &&
      granted !== undefined &&
      'rules' in granted &&
      (granted.rules ?? []).some((rule) => ruleAllows(rule, attributes))
    );
  });
}

describe('bootstrap roles', () => {
  const roles = new Map(bootstrapClusterRoles.map((item) => [item.metadata.name, item]));
  for (const changed of aggregateRules([...roles.values()])) roles.set(changed.metadata.name, changed);
  const rbac = new RbacAuthorizer([...roles.values(), ...bootstrapClusterRoleBindings]);
  const bound = (name: string): User => {
    rbac.put(binding(name, `ClusterRole/${name}`, [{ kind: 'User', name }], 'team'));
    return { username: name, groups: ['system:authenticated'] };
  };
  const may = (user: User, verb: string, group: string, resource: string, namespace = 'team'): boolean =>
    rbac.authorize(user, { verb, group, resource, namespace }).allowed;

  it('contain the rules of the roles that they aggregate, and need no further aggregation', () => {
    expect(roles.get('view')?.rules?.length).toBeGreaterThan(0);
    expect(roles.get('edit')?.rules).toEqual(expect.arrayContaining(roles.get('view')?.rules ?? []));
    expect(roles.get('admin')?.rules).toEqual(expect.arrayContaining(roles.get('edit')?.rules ?? []));
    expect(aggregateRules([...roles.values()])).toEqual([]);
  });

  it('do not let view read secrets or edit write roles, and let admin grant permissions', () => {
    const [view, edit, admin] = [bound('view'), bound('edit'), bound('admin')];
    expect(may(view, 'list', '', 'pods')).toBe(true);
    expect(may(view, 'get', '', 'secrets')).toBe(false);
    expect(may(view, 'create', '', 'pods')).toBe(false);
    expect(may(edit, 'create', 'apps', 'deployments')).toBe(true);
    expect(may(edit, 'get', '', 'secrets')).toBe(true);
    expect(may(edit, 'create', 'rbac.authorization.k8s.io', 'roles')).toBe(false);
    expect(may(admin, 'create', 'rbac.authorization.k8s.io', 'roles')).toBe(true);
    expect(may(admin, 'list', '', 'pods', 'other')).toBe(false);
  });

  it('let every authenticated user read discovery, and every client request health', () => {
    expect(rbac.authorize(ann, { verb: 'get', path: '/apis/apps/v1' }).allowed).toBe(true);
    expect(may(ann, 'create', 'authorization.k8s.io', 'selfsubjectaccessreviews', '')).toBe(true);
    expect(rbac.authorize(anonymous, { verb: 'get', path: '/healthz' }).allowed).toBe(true);
    expect(rbac.authorize(anonymous, { verb: 'get', path: '/apis' }).allowed).toBe(false);
  });
});

describe('aggregateRules', () => {
  it('selects roles by labels and expressions, but never the role itself, and returns each rule once', () => {
    const labelled = (name: string, labels: Record<string, string>): Role => ({
      ...role(name, [readPods]),
      metadata: { name, labels },
    });
    const sum = (matchExpressions: { key: string; operator: string; values?: string[] }[]): Role => ({
      ...labelled('sum', { tier: 'a' }),
      aggregationRule: { clusterRoleSelectors: [{ matchExpressions }] },
      rules: [],
    });
    const rulesOf = (...expressions: { key: string; operator: string; values?: string[] }[]): number =>
      aggregateRules([sum(expressions), labelled('x', { tier: 'a' }), labelled('y', { tier: 'b' })])[0]?.rules
        ?.length ?? 0;
    expect(rulesOf({ key: 'tier', operator: 'In', values: ['a', 'b'] })).toBe(1);
    expect(rulesOf({ key: 'tier', operator: 'NotIn', values: ['a', 'b'] })).toBe(0);
    expect(rulesOf({ key: 'tier', operator: 'Exists' })).toBe(1);
    expect(rulesOf({ key: 'tier', operator: 'DoesNotExist' })).toBe(0);
    expect(rulesOf({ key: 'tier', operator: 'Like' })).toBe(0);
  });
});

describe('forbiddenRequest', () => {
  const message = (attributes: Attributes, reason?: string): unknown =>
    forbiddenRequest(ann, attributes, reason)['message'];
  it('reports the user, the verb, the resource and the namespace', () => {
    expect(forbiddenRequest(ann, pods('delete', 'team', { name: 'p', subresource: 'eviction' }))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'pods "p" is forbidden: User "ann" cannot delete resource "pods/eviction" in API group "" in the namespace "team"',
      reason: 'Forbidden',
      details: { name: 'p', kind: 'pods' },
      code: 403,
    });
    expect(message({ verb: 'list', group: 'apps', resource: 'deployments' }, 'RBAC: why')).toBe(
      'deployments.apps is forbidden: User "ann" cannot list resource "deployments" in API group "apps" at the cluster scope: RBAC: why',
    );
    expect(message({ verb: 'get', path: '/metrics' })).toBe(
      'forbidden: User "ann" cannot get path "/metrics"',
    );
  });
});

describe('access reviews', () => {
  const rbac = new RbacAuthorizer([
    role('reader', [readPods, { verbs: ['get'], nonResourceURLs: ['/metrics'] }]),
    binding('devs', 'ClusterRole/reader', [{ kind: 'Group', name: 'dev' }]),
  ]);
  const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'team' };

  it('answer for the requesting user and for other users', () => {
    const yes = {
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "devs" of ClusterRole "reader" to Group "dev"',
    };
    expect(reviewAccess(rbac, ann, 'SelfSubjectAccessReview', { resourceAttributes })).toEqual({
      status: yes,
    });
    expect(reviewAccess(rbac, robot, 'SubjectAccessReview', { resourceAttributes, groups: ['dev'] })).toEqual(
      { status: yes },
    );
    expect(reviewAccess(rbac, ann, 'SubjectAccessReview', { resourceAttributes, user: 'bob' })).toEqual({
      status: { allowed: false },
    });
    const nonResourceAttributes = { verb: 'get', path: '/metrics' };
    expect(reviewAccess(rbac, ann, 'SelfSubjectAccessReview', { nonResourceAttributes })).toEqual({
      status: yes,
    });
  });

  it('are limited to their namespace if they are local', () => {
    const spec = { resourceAttributes, groups: ['dev'] };
    expect(reviewAccess(rbac, robot, 'LocalSubjectAccessReview', spec, { namespace: 'team' })).toMatchObject({
      status: { allowed: true },
    });
    const message = 'Invalid value: "team": must match metadata.namespace';
    expect(reviewAccess(rbac, robot, 'LocalSubjectAccessReview', spec, { namespace: 'other' })).toMatchObject(
      {
        failure: {
          code: 422,
          details: { causes: [{ field: 'spec.resourceAttributes.namespace', message }] },
        },
      },
    );
  });

  it('refuse a review that does not contain exactly one request of one user', () => {
    expect(reviewAccess(rbac, ann, 'SubjectAccessReview', {})).toMatchObject({
      failure: {
        code: 422,
        message:
          'SubjectAccessReview.authorization.k8s.io "" is invalid: [spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid value: "": at least one of user or group must be specified]',
      },
    });
    expect(
      reviewAccess(rbac, ann, 'SelfSubjectAccessReview', { resourceAttributes, nonResourceAttributes: {} }),
    ).toMatchObject({
      failure: { details: { causes: [{ field: 'spec.nonResourceAttributes' }] } },
    });
  });

  it('return the rules and the attributes of the user', () => {
    expect(reviewRules(rbac, ann, 'team')).toEqual({
      resourceRules: [readPods],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }],
      incomplete: false,
    });
    expect(reviewSelf(ann)).toEqual({
      userInfo: { username: 'ann', groups: ['dev', 'system:authenticated'] },
    });
  });
});

describe('rbacObject', () => {
  it('recognizes the four kinds', () => {
    expect(rbacObject({ kind: 'Role', metadata: { name: 'a' } })).toMatchObject({ kind: 'Role' });
    expect(rbacObject({ kind: 'Pod', metadata: { name: 'a' } })).toBeUndefined();
  });
});
