import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { impersonate, withToken } from '../../suite/callers.js';
import { configMap } from '../../suite/objects.js';

/** Declares the rules about refusals for users without permissions. */
export function forbiddenRules(rule: Rule): void {
  rule('answers a request that nothing allows with 403 Forbidden, naming user and request', async (scope) => {
    const [name, mallory] = [scope.name('secret'), scope.name('mallory')];
    const path = scope.core('configmaps', name);
    expect((await scope.api.post(scope.core('configmaps'), configMap(name))).status).toBe(201);
    const answer = await impersonate(scope.api, { user: mallory }).get(path);
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      reason: 'Forbidden',
      code: 403,
      details: { name, kind: 'configmaps' },
    });
    expect(answer.body.message).toContain(
      `configmaps "${name}" is forbidden: User "${mallory}" cannot get resource "configmaps" in API group "" in the namespace "${scope.namespace}"`,
    );
    expect((await scope.api.get(path)).status).toBe(200);
  });

  rule('names the cluster scope when a forbidden request is not about a namespace', async (scope) => {
    const mallory = scope.name('mallory');
    const { status, body } = await impersonate(scope.api, { user: mallory }).get('/api/v1/namespaces');
    expect(status).toBe(403);
    expect(body.message).toContain(
      `namespaces is forbidden: User "${mallory}" cannot list resource "namespaces" in API group "" at the cluster scope`,
    );
  });

  rule('names the API group of a forbidden resource', async (scope) => {
    const mallory = scope.name('mallory');
    const path = `/apis/coordination.k8s.io/v1/namespaces/${scope.namespace}/leases/leader`;
    const { status, body } = await impersonate(scope.api, { user: mallory }).delete(path);
    expect(status).toBe(403);
    expect(body.details).toMatchObject({ name: 'leader', group: 'coordination.k8s.io', kind: 'leases' });
    expect(body.message).toContain(
      `leases.coordination.k8s.io "leader" is forbidden: User "${mallory}" cannot delete resource "leases" in API group "coordination.k8s.io" in the namespace "${scope.namespace}"`,
    );
  });

  rule('names the subresource of a forbidden request', async (scope) => {
    const mallory = scope.name('mallory');
    const path = `${scope.core('serviceaccounts', 'default')}/token`;
    const { status, body } = await impersonate(scope.api, { user: mallory }).post(path, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    });
    expect(status).toBe(403);
    expect(body.message).toContain(
      `serviceaccounts "default" is forbidden: User "${mallory}" cannot create resource "serviceaccounts/token" in API group "" in the namespace "${scope.namespace}"`,
    );
  });

  rule('names the path of a forbidden request that is not about a resource', async (scope) => {
    const mallory = scope.name('mallory');
    const { status, body } = await impersonate(scope.api, { user: mallory }).get('/conformance-probe');
    expect(status).toBe(403);
    expect(body).toMatchObject({ kind: 'Status', reason: 'Forbidden', code: 403 });
    expect(body.message).toContain(`forbidden: User "${mallory}" cannot get path "/conformance-probe"`);
  });

  rule('forbids before it discloses whether an object or a resource exists', async (scope) => {
    const mallory = impersonate(scope.api, { user: scope.name('mallory') });
    const missing = scope.core('configmaps', scope.name('missing'));
    const unknown = `/apis/${scope.name('nowhere')}.example.dev/v1/namespaces/${scope.namespace}/widgets`;
    for (const path of [missing, unknown]) {
      expect({ path, status: (await mallory.get(path)).status }).toEqual({ path, status: 403 });
      expect({ path, status: (await scope.api.get(path)).status }).toEqual({ path, status: 404 });
    }
  });

  rule('names each request after the verb that it needs', async (scope) => {
    const [name, username] = [scope.name('target'), scope.name('mallory')];
    const mallory = impersonate(scope.api, { user: username });
    const [collection, object] = [scope.core('configmaps'), scope.core('configmaps', name)];
    const requests = {
      get: mallory.get(object),
      list: mallory.get(collection),
      watch: mallory.get(collection, { query: { watch: true, timeoutSeconds: 5 } }),
      create: mallory.post(collection, configMap(name)),
      update: mallory.put(object, configMap(name)),
      patch: mallory.patch(object, 'merge', { data: { step: '1' } }),
      delete: mallory.delete(object),
      deletecollection: mallory.delete(collection, { query: { labelSelector: `name=${name}` } }),
    };
    for (const [verb, sent] of Object.entries(requests)) {
      const { status, body } = await sent;
      expect({ verb, status }).toEqual({ verb, status: 403 });
      expect(body.message).toContain(`User "${username}" cannot ${verb} resource "configmaps"`);
    }
  });

  rule('does not let anonymous requests read objects', async (scope) => {
    const { status, body } = await withToken(scope, undefined).get(scope.core('secrets'));
    /* A server can refuse all anonymous requests. */
    expect([401, 403]).toContain(status);
    if (status === 403)
      expect(body.message).toContain('User "system:anonymous" cannot list resource "secrets"');
  });
}
