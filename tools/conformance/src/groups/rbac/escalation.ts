import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { impersonate, whenAllowed, type Caller } from '../../suite/callers.js';
import type { Scope } from '../../suite/scope.js';
import {
  binding,
  clusterRole,
  clusterRolesPath,
  coreRule,
  createAccess,
  grant,
  grantCluster,
  rbacGroup,
  role,
  roleBindingsPath,
  rolesPath,
  user,
  type Rule as PolicyRule,
} from '../../suite/rbac.js';

const reading = [coreRule(['get'], 'secrets')];
const notHeld = 'is attempting to grant RBAC permissions not currently held';

function manage(...verbs: string[]): PolicyRule {
  return { verbs, apiGroups: [rbacGroup], resources: ['roles', 'rolebindings'] };
}

/** Returns a user with these rules in the namespace of the group, after they take effect. */
async function manager(scope: Scope, ...rules: PolicyRule[]): Promise<{ name: string; caller: Caller }> {
  const name = scope.name('manager');
  const all = [coreRule(['list'], 'configmaps'), manage('create', 'update', 'patch'), ...rules];
  await grant(scope, [user(name)], all);
  const caller = impersonate(scope.api, { user: name });
  await whenAllowed(() => caller.get(scope.core('configmaps')));
  return { name, caller };
}

/** Declares the rules about privilege escalation. */
export function escalationRules(rule: Rule): void {
  rule('refuses a new role with permissions that its creator does not have', async (scope) => {
    const { name, caller } = await manager(scope);
    const roleName = scope.name('more');
    const refused = await caller.post(rolesPath(scope.namespace), role(roleName, reading));
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      reason: 'Forbidden',
      details: { name: roleName, group: rbacGroup, kind: 'roles' },
    });
    expect(refused.body.message).toContain(`user "${name}" (groups=["system:authenticated"]) ${notHeld}`);
    expect(refused.body.message).toContain('{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}');
    expect((await scope.api.get(rolesPath(scope.namespace, roleName))).status).toBe(404);
    const held = role(scope.name('same'), [coreRule(['list'], 'configmaps')]);
    expect((await caller.post(rolesPath(scope.namespace), held)).status).toBe(201);
  });

  rule('names only the missing permissions', async (scope) => {
    const { caller } = await manager(scope, coreRule(['get'], 'secrets'));
    const rules = [coreRule(['get', 'delete'], 'secrets')];
    const refused = await caller.post(rolesPath(scope.namespace), role(scope.name('more'), rules));
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain('{APIGroups:[""], Resources:["secrets"], Verbs:["delete"]}');
    expect(refused.body.message).not.toContain('"get"');
  });

  rule('refuses a role for all names to a user with permissions for one name', async (scope) => {
    const { caller } = await manager(scope, { ...coreRule(['get'], 'secrets'), resourceNames: ['mine'] });
    const all = await caller.post(rolesPath(scope.namespace), role(scope.name('all'), reading));
    expect(all.status).toBe(403);
    const named = [{ ...coreRule(['get'], 'secrets'), resourceNames: ['mine'] }];
    const same = await caller.post(rolesPath(scope.namespace), role(scope.name('one'), named));
    expect(same.status).toBe(201);
  });

  rule(
    'refuses an update and a patch of a role that add permissions that the user does not have',
    async (scope) => {
      const { caller } = await manager(scope);
      const name = scope.name('grows');
      const path = rolesPath(scope.namespace, name);
      await createAccess(scope, rolesPath(scope.namespace), role(name, [coreRule(['list'], 'configmaps')]));
      const update = await caller.put(path, role(name, reading));
      const patch = await caller.patch(path, 'merge', { rules: reading });
      for (const { status, body } of [update, patch]) {
        expect(status).toBe(403);
        expect(body.message).toContain(notHeld);
      }
      expect((await scope.api.get(path)).body['rules']).toMatchObject([coreRule(['list'], 'configmaps')]);
    },
  );

  rule('lets a user with the verb escalate on roles grant any permissions', async (scope) => {
    const escalate = { verbs: ['escalate'], apiGroups: [rbacGroup], resources: ['roles'] };
    const { caller } = await manager(scope, escalate);
    const created = await caller.post(rolesPath(scope.namespace), role(scope.name('more'), reading));
    expect(created.status).toBe(201);
    const { caller: other } = await manager(scope);
    const refused = await other.post(rolesPath(scope.namespace), role(scope.name('more'), reading));
    expect(refused.status).toBe(403);
  });

  rule('refuses a binding to a role with permissions that its creator does not have', async (scope) => {
    const { caller } = await manager(scope);
    const [more, same] = [scope.name('more'), scope.name('same')];
    await createAccess(scope, rolesPath(scope.namespace), role(more, reading));
    await createAccess(scope, rolesPath(scope.namespace), role(same, [coreRule(['list'], 'configmaps')]));
    const bind = (name: string) =>
      caller.post(
        roleBindingsPath(scope.namespace),
        binding('RoleBinding', name, { kind: 'Role', name }, [user(scope.name('friend'))]),
      );
    const refused = await bind(more);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      reason: 'Forbidden',
      details: { name: more, kind: 'rolebindings' },
    });
    expect(refused.body.message).toContain(notHeld);
    expect((await bind(same)).status).toBe(201);
  });

  rule('lets a user with the verb bind on a role bind this role, and no other', async (scope) => {
    const [allowed, other] = [scope.name('allowed'), scope.name('other')];
    for (const name of [allowed, other]) {
      await createAccess(scope, rolesPath(scope.namespace), role(name, reading));
    }
    const verb = { verbs: ['bind'], apiGroups: [rbacGroup], resources: ['roles'], resourceNames: [allowed] };
    const { caller } = await manager(scope, verb);
    const bind = (name: string) =>
      caller.post(
        roleBindingsPath(scope.namespace),
        binding('RoleBinding', name, { kind: 'Role', name }, [user(scope.name('friend'))]),
      );
    expect((await bind(allowed)).status).toBe(201);
    expect((await bind(other)).status).toBe(403);
  });

  rule('lets a user bind a ClusterRole in a namespace with the verb bind there', async (scope) => {
    const name = scope.name('cluster');
    scope.deleteAfterwards(clusterRolesPath(name));
    await createAccess(scope, clusterRolesPath(), clusterRole(name, reading));
    const verb = {
      verbs: ['bind'],
      apiGroups: [rbacGroup],
      resources: ['clusterroles'],
      resourceNames: [name],
    };
    const { caller } = await manager(scope, verb);
    const { caller: other } = await manager(scope);
    const bind = (as: Caller, prefix: string) =>
      as.post(
        roleBindingsPath(scope.namespace),
        binding('RoleBinding', scope.name(prefix), { kind: 'ClusterRole', name }, [
          user(scope.name('friend')),
        ]),
      );
    expect((await bind(other, 'refused')).status).toBe(403);
    expect((await bind(caller, 'bound')).status).toBe(201);
  });

  rule('refuses a binding to a missing role to a user without the verb bind', async (scope) => {
    const { caller } = await manager(scope);
    const name = scope.name('missing');
    const bound = binding('RoleBinding', name, { kind: 'Role', name }, [user(scope.name('friend'))]);
    const refused = await caller.post(roleBindingsPath(scope.namespace), bound);
    expect(refused.status).toBe(404);
    expect(refused.body.message).toContain(`"${name}" not found`);
    expect((await scope.api.post(roleBindingsPath(scope.namespace), bound)).status).toBe(201);
  });

  rule('refuses a ClusterRole with permissions that its creator has in a namespace only', async (scope) => {
    const name = scope.name('manager');
    const creating = { verbs: ['create'], apiGroups: [rbacGroup], resources: ['clusterroles'] };
    await grantCluster(scope, [user(name)], [creating, coreRule(['list'], 'namespaces')]);
    await grant(scope, [user(name)], [coreRule(['list'], 'secrets')]);
    const caller = impersonate(scope.api, { user: name });
    await whenAllowed(() => caller.get('/api/v1/namespaces'));
    await whenAllowed(() => caller.get(scope.core('secrets')));
    const [more, same] = [scope.name('more'), scope.name('same')];
    for (const created of [more, same]) scope.deleteAfterwards(clusterRolesPath(created));
    const refused = await caller.post(clusterRolesPath(), clusterRole(more, [coreRule(['list'], 'secrets')]));
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain(notHeld);
    const held = clusterRole(same, [coreRule(['list'], 'namespaces')]);
    expect((await caller.post(clusterRolesPath(), held)).status).toBe(201);
  });
}
