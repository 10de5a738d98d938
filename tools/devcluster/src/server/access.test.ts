import { beforeAll, describe, expect, it } from '@jest/globals';
import { configMap, metadataOf, useCluster } from '../testing/harness.js';
import type { JsonObject } from '../schema/types.js';

const cms = '/api/v1/namespaces/default/configmaps';
const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
const api = useCluster();
let token: string;

beforeAll(async () => {
  await api.create('/api/v1/namespaces/default/serviceaccounts', {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'bot' },
  });
  const { body } = await api.create('/api/v1/namespaces/default/serviceaccounts/bot/token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 600 },
  });
  token = String((body['status'] as JsonObject)['token']);
  await api.create(cms, configMap('a'));
});

describe('authentication', () => {
  it('treats requests without a token as system:anonymous, and refuses an invalid token', async () => {
    const anonymous = await api.get('/api/v1/namespaces', { token: '' });
    expect([anonymous.status, anonymous.body['message']]).toEqual([
      403,
      'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
    ]);
    expect((await api.get('/version', { token: '' })).status).toBe(200);
    const wrong = await api.get('/version', { token: 'wrong' });
    expect([wrong.status, wrong.body]).toEqual([
      401,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Unauthorized',
        reason: 'Unauthorized',
        code: 401,
      },
    ]);
  });

  it('reports the user of a token', async () => {
    const path = '/apis/authentication.k8s.io/v1/tokenreviews';
    const review = (value: string): Promise<{ body: JsonObject }> =>
      api.create(path, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: value },
      });
    expect((await review(token)).body['status']).toMatchObject({
      authenticated: true,
      user: {
        username: 'system:serviceaccount:default:bot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
      audiences: ['https://kubernetes.default.svc'],
    });
    expect((await review('nope')).body['status']).toEqual({ user: {}, error: 'invalid bearer token' });
    expect((await review('')).body).toMatchObject({
      code: 400,
      message: 'token is required for TokenReview in authentication',
    });
    const self = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const { body } = await api.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', self, { token });
    expect(body['status']).toMatchObject({ userInfo: { username: 'system:serviceaccount:default:bot' } });
  });

  it('invalidates tokens when their ServiceAccount is deleted', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await api.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'short' } });
    const { body } = await api.create(`${accounts}/short/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    const own = String((body['status'] as JsonObject)['token']);
    expect((await api.get('/version', { token: own })).status).toBe(200);
    await api.remove(`${accounts}/short`);
    expect((await api.get('/version', { token: own })).status).toBe(401);
  });
});

describe('authorization', () => {
  it('allows granted requests immediately after the binding is created', async () => {
    expect((await api.get(`${cms}/a`, { token })).status).toBe(403);
    await api.create(`${rbac}/roles`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'r' },
      rules: [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
        { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['create'] },
      ],
    });
    await api.create(`${rbac}/rolebindings`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'b' },
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [{ kind: 'ServiceAccount', name: 'bot', namespace: 'default' }],
    });
    expect((await api.get(`${cms}/a`, { token })).status).toBe(200);
    const other = await api.client.call('DELETE', `${cms}/a`, { token });
    expect([other.status, other.body['message']]).toEqual([
      403,
      'configmaps "a" is forbidden: User "system:serviceaccount:default:bot" cannot delete resource "configmaps" in API group "" in the namespace "default"',
    ]);
  });

  it('refuses roles that grant more permissions than their author has', async () => {
    const role = (name: string, verbs: string[]): JsonObject => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs }],
    });
    expect((await api.create(`${rbac}/roles`, role('less', ['get']), { token })).status).toBe(201);
    const more = await api.create(`${rbac}/roles`, role('more', ['get', 'delete']), { token });
    expect([more.status, more.body['message']]).toEqual([
      403,
      expect.stringContaining('is attempting to grant RBAC permissions not currently held'),
    ]);
  });

  it('answers access reviews', async () => {
    const self = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
    const attributes = { namespace: 'default', verb: 'get', resource: 'configmaps' };
    const allowed = await api.create(
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { ...self, spec: { resourceAttributes: attributes } },
      { token },
    );
    expect([allowed.status, allowed.body['status']]).toEqual([
      201,
      {
        allowed: true,
        reason: 'RBAC: allowed by RoleBinding "b/default" of Role "r" to ServiceAccount "bot/default"',
      },
    ]);
    const { body } = await api.create('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: 'nobody', resourceAttributes: attributes },
    });
    expect(body['status']).toEqual({ allowed: false });
  });

  it('allows impersonation with the permission', async () => {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const self = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const headers = { 'impersonate-user': 'system:serviceaccount:default:bot' };
    const acted = await api.create(path, self, { headers });
    expect(acted.body['status']).toMatchObject({
      userInfo: {
        username: 'system:serviceaccount:default:bot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
    });
    expect(
      (
        await api.get('/api/v1/nodes', {
          headers: { 'impersonate-user': 'jane', 'impersonate-group': 'devs' },
        })
      ).body['message'],
    ).toBe(
      'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
    );
    const refused = await api.create(path, self, { token, headers: { 'impersonate-user': 'jane' } });
    expect([refused.status, refused.body['message']]).toEqual([
      403,
      'users "jane" is forbidden: User "system:serviceaccount:default:bot" cannot impersonate resource "users" in API group "" at the cluster scope',
    ]);
    expect((await api.get('/version', { headers: { 'impersonate-group': 'devs' } })).status).toBe(400);
  });

  it('computes the rules of aggregated roles', async () => {
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    await api.create(path, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'view-gadgets', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
      rules: [{ apiGroups: ['test.dev'], resources: ['gadgets'], verbs: ['get'] }],
    });
    for (const role of ['view', 'edit', 'admin']) {
      const { body } = await api.get(`${path}/${role}`);
      expect(body['rules']).toContainEqual({
        apiGroups: ['test.dev'],
        resources: ['gadgets'],
        verbs: ['get'],
      });
    }
  });

  it('refuses to change the role of a binding', async () => {
    const patched = await api.patch(`${rbac}/rolebindings/b`, { roleRef: { name: 'other' } });
    expect([patched.status, patched.body['message']]).toEqual([
      422,
      'RoleBinding.rbac.authorization.k8s.io "b" is invalid: roleRef: Invalid value: {"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"other"}: cannot change roleRef',
    ]);
    expect(metadataOf(await api.get(`${rbac}/rolebindings/b`)).uid).toBeDefined();
  });
});
