import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { impersonate, whenAllowed, type Caller } from '../../suite/callers.js';
import type { Body } from '../../suite/body.js';
import type { Scope } from '../../suite/scope.js';
import {
  binding,
  clusterRole,
  clusterRolesPath,
  coreRule,
  createAccess,
  role,
  roleBindingsPath,
  rolesPath,
  user,
  type Rule as PolicyRule,
} from '../../suite/rbac.js';

const rulesOf = (body: Body): PolicyRule[] => (body['rules'] as PolicyRule[] | null | undefined) ?? [];

function names(body: Body, resource: string): boolean {
  return rulesOf(body).some(({ resources }) => resources?.includes(resource));
}

/** Returns a user with one of the default ClusterRoles in a namespace of the case. */
async function holder(scope: Scope, name: string): Promise<{ namespace: string; caller: Caller }> {
  const namespace = await scope.ownNamespace();
  const username = scope.name(name);
  const bound = binding('RoleBinding', name, { kind: 'ClusterRole', name }, [user(username)]);
  await createAccess(scope, roleBindingsPath(namespace), bound);
  const caller = impersonate(scope.api, { user: username });
  await whenAllowed(() => caller.get(`/api/v1/namespaces/${namespace}/configmaps`));
  return { namespace, caller };
}

/** Declares the rules about ClusterRoles that collect the rules of others, and about the default ClusterRoles. */
export function aggregationRules(rule: Rule): void {
  rule(
    'fills an aggregated ClusterRole with the rules of those that its selectors match, and follows them',
    async (scope) => {
      const [sum, part] = [scope.name('sum'), scope.name('part')];
      const label = `conformance.interlock.dev/${sum}`;
      for (const name of [sum, part]) scope.deleteAfterwards(clusterRolesPath(name));
      const labels = { [label]: 'true' };
      await createAccess(scope, clusterRolesPath(), {
        ...clusterRole(sum, []),
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
      });
      const contribution = [coreRule(['get'], 'configmaps')];
      await createAccess(scope, clusterRolesPath(), clusterRole(part, contribution, { labels }));
      const filled = await scope.eventually(clusterRolesPath(sum), ({ body }) => names(body, 'configmaps'));
      expect(rulesOf(filled.body)).toMatchObject(contribution);
      const changed = { rules: [coreRule(['list'], 'pods')] };
      await scope.api.patch(clusterRolesPath(part), 'merge', changed);
      const followed = await scope.eventually(clusterRolesPath(sum), ({ body }) => names(body, 'pods'));
      expect(rulesOf(followed.body)).toMatchObject(changed.rules);
      await scope.api.delete(clusterRolesPath(part));
      const emptied = await scope.eventually(clusterRolesPath(sum), ({ body }) => rulesOf(body).length === 0);
      expect(emptied.body['aggregationRule']).toMatchObject({
        clusterRoleSelectors: [{ matchLabels: labels }],
      });
    },
    'controllers',
  );

  rule(
    'adds the rules of ClusterRoles labelled aggregate-to-view to the ClusterRole view, edit and admin',
    async (scope) => {
      const name = scope.name('widgets');
      const resource = scope.name('widgets');
      scope.deleteAfterwards(clusterRolesPath(name));
      const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
      const added = { verbs: ['get'], apiGroups: ['conformance.example.dev'], resources: [resource] };
      await createAccess(scope, clusterRolesPath(), clusterRole(name, [added], { labels }));
      for (const aggregate of ['view', 'edit', 'admin']) {
        const { body } = await scope.eventually(clusterRolesPath(aggregate), (answer) =>
          names(answer.body, resource),
        );
        expect(rulesOf(body)).toContainEqual(added);
      }
    },
    'controllers',
  );

  rule('has the default ClusterRoles cluster-admin, admin, edit and view', async (scope) => {
    for (const name of ['cluster-admin', 'admin', 'edit', 'view']) {
      const { status, body } = await scope.api.get(clusterRolesPath(name));
      expect({ name, status }).toEqual({ name, status: 200 });
      expect(body.metadata.labels).toMatchObject({ 'kubernetes.io/bootstrapping': 'rbac-defaults' });
      if (name !== 'cluster-admin') expect(body).toHaveProperty('aggregationRule.clusterRoleSelectors');
    }
    const { body } = await scope.api.get(clusterRolesPath('cluster-admin'));
    expect(rulesOf(body)).toContainEqual({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
  });

  rule(
    'lets holders of view read most objects, but neither Secrets nor roles, and write nothing',
    async (scope) => {
      const { namespace, caller } = await holder(scope, 'view');
      const path = (plural: string) => `/api/v1/namespaces/${namespace}/${plural}`;
      expect((await caller.get(path('services'))).status).toBe(200);
      expect((await caller.get(`/apis/apps/v1/namespaces/${namespace}/deployments`)).status).toBe(200);
      expect((await caller.get(path('secrets'))).status).toBe(403);
      expect((await caller.get(rolesPath(namespace))).status).toBe(403);
      expect((await caller.delete(path('configmaps/nothing'))).status).toBe(403);
    },
    'controllers',
  );

  rule(
    'lets holders of edit write objects and read Secrets, but not roles',
    async (scope) => {
      const { namespace, caller } = await holder(scope, 'edit');
      const path = (plural: string) => `/api/v1/namespaces/${namespace}/${plural}`;
      expect((await caller.delete(path('configmaps/nothing'))).status).toBe(404);
      expect((await caller.delete(`/apis/apps/v1/namespaces/${namespace}/deployments/nothing`)).status).toBe(
        404,
      );
      expect((await caller.get(path('secrets'))).status).toBe(200);
      expect((await caller.get(rolesPath(namespace))).status).toBe(403);
    },
    'controllers',
  );

  rule(
    'lets holders of admin manage roles within their permissions, but not quotas and the namespace',
    async (scope) => {
      const { namespace, caller } = await holder(scope, 'admin');
      const held = role('held', [coreRule(['list'], 'secrets')]);
      expect((await caller.post(rolesPath(namespace), held)).status).toBe(201);
      const more = role('more', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]);
      expect((await caller.post(rolesPath(namespace), more)).status).toBe(403);
      const quota = `/api/v1/namespaces/${namespace}/resourcequotas/nothing`;
      expect((await caller.delete(quota)).status).toBe(403);
      expect((await caller.get(`/api/v1/namespaces/${namespace}`)).status).toBe(200);
      expect((await caller.delete(`/api/v1/namespaces/${namespace}`)).status).toBe(403);
    },
    'controllers',
  );
}
