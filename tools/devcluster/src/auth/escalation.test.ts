import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkEscalation } from './escalation.js';
import { RbacAuthorizer } from './rbac-authorizer.js';
import type { Attributes, Binding, PolicyRule, Role } from './rbac-types.js';
import { ruleAllows, uncovered } from './rules.js';
import { adminUser, type User } from './users.js';

const group = 'rbac.authorization.k8s.io';
const ann: User = { username: 'ann', groups: ['dev'] };
const read: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const all: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };

function holding(...rules: PolicyRule[]): RbacAuthorizer {
  return new RbacAuthorizer([
    { kind: 'ClusterRole', metadata: { name: 'held' }, rules },
    { kind: 'ClusterRole', metadata: { name: 'root' }, rules: [all] },
    bindingTo('held'),
  ]);
}

function bindingTo(name: string, kind = 'ClusterRole'): Binding {
  return {
    kind: 'ClusterRoleBinding',
    metadata: { name: 'b' },
    roleRef: { apiGroup: group, kind, name },
    subjects: [{ kind: 'User', name: 'ann' }],
  };
}

const role = (...rules: PolicyRule[]): Role => ({
  kind: 'Role',
  metadata: { name: 'r', namespace: 'team' },
  rules,
});

describe('checkEscalation', () => {
  it('allows users to grant permissions that they have', () => {
    expect(checkEscalation(holding(read), ann, role(read))).toBeUndefined();
    expect(checkEscalation(holding(all), ann, role(read))).toBeUndefined();
    expect(checkEscalation(holding(), adminUser, role(all))).toBeUndefined();
  });

  it('reports the missing permissions by resource', () => {
    const wanted: PolicyRule = {
      verbs: ['get', 'delete', 'patch'],
      apiGroups: [''],
      resources: ['pods', 'secrets'],
      resourceNames: ['x'],
    };
    expect(
      checkEscalation(holding(read), ann, role(wanted, { verbs: ['get'], nonResourceURLs: ['/x'] })),
    ).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: [
        'roles.rbac.authorization.k8s.io "r" is forbidden: user "ann" (groups=["dev"]) is attempting to grant RBAC permissions not currently held:',
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["x"], Verbs:["delete" "patch"]}',
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["x"], Verbs:["get" "delete" "patch"]}',
        '{NonResourceURLs:["/x"], Verbs:["get"]}',
      ].join('\n'),
      details: { name: 'r', group: group, kind: 'roles' },
    });
  });

  it('ignores an update that changes no rule', () => {
    expect(checkEscalation(holding(read), ann, role(all), role(all))).toBeUndefined();
    expect(checkEscalation(holding(read), ann, role(all), role(read))).toMatchObject({ code: 403 });
  });

  it('is skipped with the verbs escalate and bind', () => {
    const escalate: PolicyRule = { verbs: ['escalate'], apiGroups: [group], resources: ['roles'] };
    expect(checkEscalation(holding(escalate), ann, role(all))).toBeUndefined();
    const bind = (name: string): PolicyRule => ({
      verbs: ['bind'],
      apiGroups: [group],
      resources: ['clusterroles'],
      resourceNames: [name],
    });
    expect(checkEscalation(holding(bind('root')), ann, bindingTo('root'))).toBeUndefined();
    expect(checkEscalation(holding(bind('other')), ann, bindingTo('root'))).toMatchObject({ code: 403 });
  });

  it('checks the rules of a bound role', () => {
    expect(checkEscalation(holding(read), ann, bindingTo('held'))).toBeUndefined();
    expect(checkEscalation(holding(read), ann, bindingTo('root'))).toMatchObject({
      message: expect.stringMatching(
        /^clusterrolebindings\.rbac\.authorization\.k8s\.io "b" is forbidden: user "ann"/,
      ),
    });
    expect(checkEscalation(holding(read), ann, bindingTo('root'), bindingTo('root'))).toBeUndefined();
    expect(checkEscalation(holding(read), ann, bindingTo('gone'))).toMatchObject({
      code: 404,
      message: 'clusterrole.rbac.authorization.k8s.io "gone" not found',
    });
  });

  it('allows aggregation only with all permissions', () => {
    const sum: Role = {
      kind: 'ClusterRole',
      metadata: { name: 'sum' },
      aggregationRule: { clusterRoleSelectors: [{}] },
    };
    expect(checkEscalation(holding(read), ann, sum)).toMatchObject({
      message:
        'clusterroles.rbac.authorization.k8s.io "sum" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    });
    expect(checkEscalation(holding(all, { verbs: ['*'], nonResourceURLs: ['*'] }), ann, sum)).toBeUndefined();
  });
});

describe('uncovered', () => {
  const pick = (...values: string[]): fc.Arbitrary<string[]> => fc.subarray(values, { minLength: 1 });
  const rule: fc.Arbitrary<PolicyRule> = fc.oneof(
    fc.record(
      {
        verbs: pick('get', 'list', '*'),
        apiGroups: pick('', 'apps', '*'),
        resources: pick('a', 'a/s', '*/s', '*'),
        resourceNames: pick('x', 'y'),
      },
      { requiredKeys: ['verbs', 'apiGroups', 'resources'] },
    ),
    fc.record({ verbs: pick('get', '*'), nonResourceURLs: pick('/a', '/a/*', '*') }),
  );
  const rules = fc.array(rule, { maxLength: 3 });
  const request: fc.Arbitrary<Attributes> = fc.oneof(
    fc.record({
      verb: fc.constantFrom('get', 'list', 'put'),
      group: fc.constantFrom('', 'apps'),
      resource: fc.constantFrom('a', 'b'),
      subresource: fc.constantFrom('', 's'),
      name: fc.constantFrom('', 'x'),
    }),
    fc.record({ verb: fc.constantFrom('get', 'put'), path: fc.constantFrom('/a', '/a/b', '/c') }),
  );

  it('returns nothing only if all requested permissions are already granted', () => {
    fc.assert(
      fc.property(rules, rules, request, (held, wanted, asked) => {
        const may = (granted: PolicyRule[]): boolean => granted.some((one) => ruleAllows(one, asked));
        expect(may(wanted) && !may(held) && uncovered(held, wanted).length === 0).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it('returns nothing for permissions that are already granted', () => {
    fc.assert(fc.property(rules, rules, (held, more) => uncovered([...more, ...held], held).length === 0));
  });
});
