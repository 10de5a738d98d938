import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { expectInvalid } from '../../suite/invalid.js';
import {
  binding,
  clusterRole,
  clusterRoleBindingsPath,
  clusterRolesPath,
  coreRule,
  createAccess,
  rbacGroup,
  role,
  roleBindingsPath,
  rolesPath,
  user,
  type Rule as PolicyRule,
  type Subject,
} from '../../suite/rbac.js';

/** Declares the rules about the fields of roles and bindings. */
export function validationRules(rule: Rule): void {
  rule('requires verbs, API groups and resources of a rule about resources', async (scope) => {
    const create = (rules: readonly PolicyRule[]) =>
      scope.api.post(rolesPath(scope.namespace), role(scope.name('role'), rules));
    expectInvalid(await create([{ verbs: [], apiGroups: [''], resources: ['pods'] }]), {
      'rules[0].verbs': 'FieldValueRequired',
    });
    expectInvalid(await create([coreRule(['get'], 'pods'), { verbs: ['get'] }]), {
      'rules[1].apiGroups': 'FieldValueRequired',
      'rules[1].resources': 'FieldValueRequired',
    });
    expect((await create([coreRule(['get'], 'pods')])).status).toBe(201);
  });

  rule('refuses nonResourceURLs in a Role, and beside resources in a ClusterRole', async (scope) => {
    const urls = { verbs: ['get'], nonResourceURLs: ['/healthz'] };
    expectInvalid(await scope.api.post(rolesPath(scope.namespace), role(scope.name('role'), [urls])), {
      'rules[0].nonResourceURLs': 'FieldValueInvalid',
    });
    const create = (one: PolicyRule) => {
      const name = scope.name('role');
      scope.deleteAfterwards(clusterRolesPath(name));
      return scope.api.post(clusterRolesPath(), clusterRole(name, [one]));
    };
    expectInvalid(await create({ ...urls, apiGroups: [''], resources: ['pods'] }), {
      'rules[0].nonResourceURLs': 'FieldValueInvalid',
    });
    expect((await create(urls)).status).toBe(201);
  });

  rule('refuses a change of roleRef, and accepts a change of subjects', async (scope) => {
    const name = scope.name('fixed');
    const path = roleBindingsPath(scope.namespace, name);
    const bound = (to: string, who: string) =>
      binding('RoleBinding', name, { kind: 'Role', name: to }, [user(who)]);
    await createAccess(scope, roleBindingsPath(scope.namespace), bound('first', 'alice'));
    const changed = await scope.api.put(path, bound('second', 'alice'));
    expectInvalid(changed, { roleRef: 'FieldValueInvalid' });
    expect(changed.body.message).toContain('cannot change roleRef');
    const patched = await scope.api.patch(path, 'merge', { roleRef: { kind: 'ClusterRole' } });
    expectInvalid(patched, { roleRef: 'FieldValueInvalid' });
    const moved = await scope.api.put(path, bound('first', 'bob'));
    expect(moved.status).toBe(200);
    expect(moved.body['subjects']).toMatchObject([{ kind: 'User', name: 'bob' }]);
  });

  rule('binds only roles of the group rbac.authorization.k8s.io', async (scope) => {
    const post = (roleRef: { kind: string; name: string; apiGroup?: string }) =>
      scope.api.post(
        roleBindingsPath(scope.namespace),
        binding('RoleBinding', scope.name('binding'), roleRef, [user('alice')]),
      );
    expectInvalid(await post({ kind: 'Group', name: 'x' }), { 'roleRef.kind': 'FieldValueNotSupported' });
    expectInvalid(await post({ kind: 'Role', name: 'x', apiGroup: 'apps' }), {
      'roleRef.apiGroup': 'FieldValueNotSupported',
    });
    expectInvalid(await post({ kind: 'Role', name: '' }), { 'roleRef.name': 'FieldValueRequired' });
    expect((await post({ kind: 'Role', name: 'x' })).status).toBe(201);
  });

  rule('binds only ClusterRoles with a ClusterRoleBinding', async (scope) => {
    const post = (kind: string) => {
      const name = scope.name('binding');
      scope.deleteAfterwards(clusterRoleBindingsPath(name));
      const bound = binding('ClusterRoleBinding', name, { kind, name }, [user(scope.name('alice'))]);
      return scope.api.post(clusterRoleBindingsPath(), bound);
    };
    expectInvalid(await post('Role'), { 'roleRef.kind': 'FieldValueNotSupported' });
    expect((await post('ClusterRole')).status).toBe(201);
  });

  rule('checks kind, API group, name and namespace of subjects', async (scope) => {
    const post = (...subjects: Subject[]) => {
      const name = scope.name('binding');
      scope.deleteAfterwards(clusterRoleBindingsPath(name));
      const bound = binding('ClusterRoleBinding', name, { kind: 'ClusterRole', name }, subjects);
      return scope.api.post(clusterRoleBindingsPath(), bound);
    };
    const refused = await post(
      { kind: 'Robot', name: 'x' },
      { kind: 'User', name: 'x', apiGroup: 'apps' },
      { kind: 'ServiceAccount', name: 'x' },
      { kind: 'ServiceAccount', name: '', namespace: 'x' },
      { kind: 'ServiceAccount', name: 'x', namespace: 'x', apiGroup: rbacGroup },
    );
    expectInvalid(refused, {
      'subjects[0].kind': 'FieldValueNotSupported',
      'subjects[1].apiGroup': 'FieldValueNotSupported',
      'subjects[2].namespace': 'FieldValueRequired',
      'subjects[3].name': 'FieldValueRequired',
      'subjects[4].apiGroup': 'FieldValueNotSupported',
    });
    const accepted = await post({
      kind: 'ServiceAccount',
      name: scope.name('x'),
      namespace: scope.namespace,
    });
    expect(accepted.status).toBe(201);
  });

  rule('fills in the API group of roleRef and of users and groups', async (scope) => {
    const { status, body } = await scope.api.post(roleBindingsPath(scope.namespace), {
      apiVersion: `${rbacGroup}/v1`,
      kind: 'RoleBinding',
      metadata: { name: scope.name('defaults') },
      roleRef: { kind: 'Role', name: 'x' },
      subjects: [
        { kind: 'User', name: scope.name('alice') },
        { kind: 'Group', name: scope.name('team') },
        { kind: 'ServiceAccount', name: scope.name('robot') },
      ],
    });
    expect(status).toBe(201);
    expect(body['roleRef']).toEqual({ apiGroup: rbacGroup, kind: 'Role', name: 'x' });
    const groups = (body['subjects'] as Subject[]).map(({ apiGroup }) => apiGroup);
    expect(groups).toEqual([rbacGroup, rbacGroup, undefined]);
  });

  rule('accepts names of roles with colons and capitals, and refuses those with a slash', async (scope) => {
    const name = `${scope.name('System')}:Reader`;
    const path = rolesPath(scope.namespace);
    expect((await scope.api.post(path, role(name, [coreRule(['get'], 'pods')]))).status).toBe(201);
    expect((await scope.api.get(rolesPath(scope.namespace, encodeURIComponent(name)))).status).toBe(200);
    const refused = await scope.api.post(path, role(`${name}/x`, [coreRule(['get'], 'pods')]));
    expectInvalid(refused, { 'metadata.name': 'FieldValueInvalid' });
  });
}
