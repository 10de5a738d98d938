import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { eventually, impersonate, tokenRequest, tokensOf, whenAllowed } from '../../suite/callers.js';
import { configMap } from '../../suite/objects.js';
import {
  binding,
  clusterRole,
  clusterRolesPath,
  coreRule,
  createAccess,
  grant,
  grantCluster,
  role,
  roleBindingsPath,
  rolesPath,
  user,
} from '../../suite/rbac.js';

/** Declares the rules about the permissions of roles and bindings. */
export function grantRules(rule: Rule): void {
  rule('allows with a RoleBinding the verbs of its Role, and no others', async (scope) => {
    const [name, alice] = [scope.name('shared'), scope.name('alice')];
    await scope.api.post(scope.core('configmaps'), configMap(name));
    await grant(scope, [user(alice)], [coreRule(['get', 'update'], 'configmaps')]);
    const caller = impersonate(scope.api, { user: alice });
    const path = scope.core('configmaps', name);
    expect((await whenAllowed(() => caller.get(path))).status).toBe(200);
    expect((await caller.put(path, configMap(name, { step: '1' }))).status).toBe(200);
    expect((await caller.patch(path, 'merge', { data: { step: '2' } })).status).toBe(403);
    expect((await caller.get(scope.core('configmaps'))).status).toBe(403);
    expect((await caller.delete(path)).status).toBe(403);
  });

  rule('allows with a RoleBinding only requests to its namespace', async (scope) => {
    const alice = scope.name('alice');
    const other = await scope.ownNamespace();
    await grant(scope, [user(alice)], [coreRule(['list'], 'configmaps')]);
    const caller = impersonate(scope.api, { user: alice });
    expect((await whenAllowed(() => caller.get(scope.core('configmaps')))).status).toBe(200);
    expect((await caller.get(`/api/v1/namespaces/${other}/configmaps`)).status).toBe(403);
    expect((await caller.get('/api/v1/configmaps')).status).toBe(403);
  });

  rule(
    'allows with a RoleBinding to a ClusterRole only requests to the namespace of the binding',
    async (scope) => {
      const [name, alice] = [scope.name('reader'), scope.name('alice')];
      scope.deleteAfterwards(clusterRolesPath(name));
      const rules = [coreRule(['list'], 'configmaps', 'namespaces')];
      await createAccess(scope, clusterRolesPath(), clusterRole(name, rules));
      const bound = binding('RoleBinding', name, { kind: 'ClusterRole', name }, [user(alice)]);
      await createAccess(scope, roleBindingsPath(scope.namespace), bound);
      const caller = impersonate(scope.api, { user: alice });
      expect((await whenAllowed(() => caller.get(scope.core('configmaps')))).status).toBe(200);
      expect((await caller.get('/api/v1/configmaps')).status).toBe(403);
      expect((await caller.get('/api/v1/namespaces')).status).toBe(403);
    },
  );

  rule(
    'allows with a ClusterRoleBinding requests to every namespace and to the cluster scope',
    async (scope) => {
      const alice = scope.name('alice');
      await grantCluster(scope, [user(alice)], [coreRule(['list'], 'services', 'namespaces')]);
      const caller = impersonate(scope.api, { user: alice });
      expect((await whenAllowed(() => caller.get('/api/v1/services'))).status).toBe(200);
      expect((await caller.get(scope.core('services'))).status).toBe(200);
      expect((await caller.get('/api/v1/namespaces')).status).toBe(200);
      expect((await caller.get(scope.core('configmaps'))).status).toBe(403);
    },
  );

  rule('limits a rule with resourceNames to objects of these names', async (scope) => {
    const [mine, other, alice] = [scope.name('mine'), scope.name('other'), scope.name('alice')];
    for (const name of [mine, other]) await scope.api.post(scope.core('configmaps'), configMap(name));
    const rules = [{ ...coreRule(['get', 'patch', 'create'], 'configmaps'), resourceNames: [mine] }];
    await grant(scope, [user(alice)], rules);
    const caller = impersonate(scope.api, { user: alice });
    expect((await whenAllowed(() => caller.get(scope.core('configmaps', mine)))).status).toBe(200);
    expect((await caller.get(scope.core('configmaps', other))).status).toBe(403);
    /* The name of a new object is not known when the request is authorized. */
    const created = await caller.post(scope.core('configmaps'), configMap(scope.name('new')));
    expect(created.status).toBe(403);
  });

  rule(
    'allows a list and a watch with resourceNames when metadata.name selects the object',
    async (scope) => {
      const [mine, other, alice] = [scope.name('mine'), scope.name('other'), scope.name('alice')];
      for (const name of [mine, other]) await scope.api.post(scope.core('configmaps'), configMap(name));
      const rules = [{ ...coreRule(['list', 'watch'], 'configmaps'), resourceNames: [mine] }];
      await grant(scope, [user(alice)], rules);
      const caller = impersonate(scope.api, { user: alice });
      const list = (name: string) => () =>
        caller.get(scope.core('configmaps'), { query: { fieldSelector: `metadata.name=${name}` } });
      const listed = await whenAllowed(list(mine));
      expect(listed.status).toBe(200);
      expect(listed.body.items.map(({ metadata }) => metadata.name)).toEqual([mine]);
      const watched = await caller.get(scope.core('configmaps'), {
        query: { fieldSelector: `metadata.name=${mine}`, watch: true, timeoutSeconds: 1 },
      });
      expect(watched.status).toBe(200);
      expect((await list(other)()).status).toBe(403);
      expect((await caller.get(scope.core('configmaps'))).status).toBe(403);
    },
  );

  rule('distinguishes permissions for a resource from those for its subresources', async (scope) => {
    const [alice, account] = [scope.name('alice'), scope.name('robot')];
    const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account } };
    await scope.api.post(scope.core('serviceaccounts'), object);
    await grant(scope, [user(alice)], [coreRule(['create'], 'serviceaccounts/token')]);
    const caller = impersonate(scope.api, { user: alice });
    const request = () => caller.post(tokensOf(scope.namespace, account), tokenRequest());
    expect((await whenAllowed(request)).status).toBe(201);
    const refused = await caller.post(scope.core('serviceaccounts'), object);
    expect(refused.status).toBe(403);

    const bob = scope.name('bob');
    await grant(scope, [user(bob)], [coreRule(['create', 'get'], 'serviceaccounts')]);
    const other = impersonate(scope.api, { user: bob });
    expect((await whenAllowed(() => other.get(scope.core('serviceaccounts', account)))).status).toBe(200);
    expect((await other.post(tokensOf(scope.namespace, account), tokenRequest())).status).toBe(403);
  });

  rule('allows a subresource of every resource with */subresource', async (scope) => {
    const [alice, account] = [scope.name('alice'), scope.name('robot')];
    const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account } };
    await scope.api.post(scope.core('serviceaccounts'), object);
    await grant(scope, [user(alice)], [coreRule(['create', 'get'], '*/token')]);
    const caller = impersonate(scope.api, { user: alice });
    const request = () => caller.post(tokensOf(scope.namespace, account), tokenRequest());
    expect((await whenAllowed(request)).status).toBe(201);
    expect((await caller.get(scope.core('serviceaccounts', account))).status).toBe(403);
  });

  rule('takes * for all verbs, all API groups and all resources with their subresources', async (scope) => {
    const alice = scope.name('alice');
    await grant(scope, [user(alice)], [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]);
    const caller = impersonate(scope.api, { user: alice });
    const name = scope.name('anything');
    const created = await whenAllowed(() => caller.post(scope.core('configmaps'), configMap(name)));
    expect(created.status).toBe(201);
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${scope.namespace}/leases`;
    expect((await caller.get(leases)).status).toBe(200);
    expect((await caller.delete(scope.core('configmaps', name))).status).toBe(200);
    expect((await caller.get('/api/v1/namespaces')).status).toBe(403);
  });

  rule(
    'allows paths that are not resources with nonResourceURLs, * at the end for what follows',
    async (scope) => {
      const [alice, base] = [scope.name('alice'), `/${scope.name('path')}`];
      const rules = [{ verbs: ['get'], nonResourceURLs: [`${base}/exact`, `${base}/below/*`] }];
      await grantCluster(scope, [user(alice)], rules);
      const caller = impersonate(scope.api, { user: alice });
      expect((await whenAllowed(() => caller.get(`${base}/exact`))).status).toBe(404);
      expect((await caller.get(`${base}/below/deep/er`)).status).toBe(404);
      expect((await caller.get(`${base}/exact/more`)).status).toBe(403);
      expect((await caller.get(`${base}/below`)).status).toBe(403);
      expect((await caller.post(`${base}/exact`, {})).status).toBe(403);
    },
  );

  rule('combines the permissions of all bindings of a user', async (scope) => {
    const [alice, name] = [scope.name('alice'), scope.name('sum')];
    await scope.api.post(scope.core('configmaps'), configMap(name));
    await grant(scope, [user(alice)], [coreRule(['get'], 'configmaps')]);
    const caller = impersonate(scope.api, { user: alice });
    expect((await whenAllowed(() => caller.get(scope.core('configmaps', name)))).status).toBe(200);
    expect((await caller.get(scope.core('configmaps'))).status).toBe(403);
    await grant(scope, [user(alice)], [coreRule(['list'], 'configmaps')]);
    expect((await whenAllowed(() => caller.get(scope.core('configmaps')))).status).toBe(200);
    expect((await caller.get(scope.core('configmaps', name))).status).toBe(200);
  });

  rule(
    'revokes the permissions when a binding is deleted, and when a rule is removed from its role',
    async (scope) => {
      const [alice, bob] = [scope.name('alice'), scope.name('bob')];
      const path = scope.core('configmaps');
      const refused = ({ status }: { status: number }): boolean => status === 403;
      const first = await grant(scope, [user(alice)], [coreRule(['list'], 'configmaps')]);
      const second = await grant(scope, [user(bob)], [coreRule(['list'], 'configmaps')]);
      const [one, two] = [impersonate(scope.api, { user: alice }), impersonate(scope.api, { user: bob })];
      expect((await whenAllowed(() => one.get(path))).status).toBe(200);
      expect((await whenAllowed(() => two.get(path))).status).toBe(200);
      expect((await scope.api.delete(roleBindingsPath(scope.namespace, first))).status).toBe(200);
      const changed = role(second, [coreRule(['get'], 'configmaps')]);
      expect((await scope.api.put(rolesPath(scope.namespace, second), changed)).status).toBe(200);
      expect((await eventually(() => one.get(path), refused)).status).toBe(403);
      expect((await eventually(() => two.get(path), refused)).status).toBe(403);
    },
  );

  rule('accepts a binding to a role that does not exist yet and allows once it does', async (scope) => {
    const [alice, name] = [scope.name('alice'), scope.name('later')];
    const bound = binding('RoleBinding', name, { kind: 'Role', name }, [user(alice)]);
    await createAccess(scope, roleBindingsPath(scope.namespace), bound);
    const caller = impersonate(scope.api, { user: alice });
    expect((await caller.get(scope.core('configmaps'))).status).toBe(403);
    await createAccess(scope, rolesPath(scope.namespace), role(name, [coreRule(['list'], 'configmaps')]));
    expect((await whenAllowed(() => caller.get(scope.core('configmaps')))).status).toBe(200);
  });
}
