import { expect } from 'expect';
import type { Answer } from '../../suite/api.js';
import type { Rule } from '../../suite/case.js';
import type { Scope } from '../../suite/scope.js';
import { expectInvalid, expectRefusal, create } from '../../suite/write.js';
import { configMap } from '../../suite/objects.js';

/** Attempts to create an object of a kind under a name, as a dry run. */
function attempt(scope: Scope, collection: string, kind: object, metadata: object): Promise<Answer> {
  return scope.api.post(collection, { ...kind, metadata }, { query: { dryRun: 'All' } });
}

/**
 * Declares the rules about the names of objects.
 * Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
 */
export function nameRules(rule: Rule): void {
  rule('takes DNS subdomain names of up to 253 characters for most kinds', async (scope) => {
    const kind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const named = (name: string) => attempt(scope, scope.core('configmaps'), kind, { name });
    const label = 'l'.repeat(63);
    for (const name of ['a', '0', 'a-b.c-d', [label, label, label, 'l'.repeat(61)].join('.')]) {
      expect(await named(name)).toMatchObject({ status: 201, body: { metadata: { name } } });
    }
    for (const name of ['A', 'a_b', '-a', 'a-', 'a..b', '.a', 'a/b', 'ä', 'a'.repeat(254)]) {
      const answer = await named(name);
      expectInvalid(answer, 'metadata.name');
      expect(answer.body.details).toMatchObject({ name, kind: 'ConfigMap' });
    }
  });

  rule('takes DNS label names of up to 63 characters for namespaces', async (scope) => {
    const kind = { apiVersion: 'v1', kind: 'Namespace' };
    const named = (name: string) => attempt(scope, '/api/v1/namespaces', kind, { name });
    expect(await named(scope.name('label'))).toMatchObject({ status: 201 });
    expect(await named('l'.repeat(63))).toMatchObject({ status: 201 });
    for (const name of ['with.dot', 'Upper', '-a', 'a-', 'l'.repeat(64)]) {
      expectInvalid(await named(name), 'metadata.name');
    }
  });

  rule('takes any path segment as the name of a Role', async (scope) => {
    const collection = `/apis/rbac.authorization.k8s.io/v1/namespaces/${scope.namespace}/roles`;
    const kind = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', rules: [] };
    for (const name of ['System:Role_1', 'a b', 'Ä']) {
      expect(await attempt(scope, collection, kind, { name })).toMatchObject({ status: 201 });
    }
    for (const name of ['a/b', '..', 'a%b']) {
      expectInvalid(await attempt(scope, collection, kind, { name }), 'metadata.name');
    }
  });

  rule('requires a name or a generateName', async (scope) => {
    const kind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const nameless = await attempt(scope, scope.core('configmaps'), kind, {});
    expectInvalid(nameless, 'metadata.name');
    expect(nameless.body.message).toContain('name or generateName is required');
    expect(await attempt(scope, scope.core('configmaps'), kind, { generateName: 'a-' })).toMatchObject({
      status: 201,
    });
  });

  rule('checks a generateName like a name', async (scope) => {
    const kind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const wrong = await attempt(scope, scope.core('configmaps'), kind, { generateName: 'Not_a_prefix-' });
    expectInvalid(wrong, 'metadata.generateName');
  });

  rule('refuses a namespace in the body that is not that of the request', async (scope) => {
    const name = scope.name('placed');
    const other = await scope.api.post(
      scope.core('configmaps'),
      configMap(name, {}, { namespace: 'default' }),
    );
    expectRefusal(other, 400, 'BadRequest');
    expect(other.body.message).toContain('does not match the namespace');
    const { namespace } = scope;
    await create(scope, scope.core('configmaps'), configMap(name, {}, { namespace }));
    const changed = configMap(name, {}, { namespace: 'default' });
    expectRefusal(await scope.api.put(scope.core('configmaps', name), changed), 400, 'BadRequest');
  });

  rule('drops the namespace of a cluster-scoped object', async (scope) => {
    const kind = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', rules: [] };
    const metadata = { name: scope.name('cluster'), namespace: scope.namespace };
    const answer = await attempt(scope, '/apis/rbac.authorization.k8s.io/v1/clusterroles', kind, metadata);
    expect(answer).toMatchObject({ status: 201, body: { metadata: { name: metadata.name } } });
    expect(answer.body.metadata.namespace).toBeUndefined();
  });

  rule('refuses an update whose name is not that of the path', async (scope) => {
    const name = scope.name('path');
    await create(scope, scope.core('configmaps'), configMap(name));
    const answer = await scope.api.put(scope.core('configmaps', name), configMap(`${name}-other`));
    expectRefusal(answer, 400, 'BadRequest');
    expect(answer.body.message).toContain('does not match the name on the URL');
    expect(await scope.api.put(scope.core('configmaps', name), configMap(name))).toMatchObject({
      status: 200,
    });
  });

  rule('answers 404 to an update of an object that does not exist', async (scope) => {
    const name = scope.name('absent');
    const answer = await scope.api.put(scope.core('configmaps', name), configMap(name));
    expectRefusal(answer, 404, 'NotFound');
    expect(answer.body.details).toMatchObject({ name, kind: 'configmaps' });
  });
}
