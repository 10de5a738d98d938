import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { configMap } from '../../suite/objects.js';
import { create, expectInvalid, expectRefusal } from '../../suite/write.js';

const deleteOptions = (fields: object): object => ({ apiVersion: 'v1', kind: 'DeleteOptions', ...fields });

/**
 * Declares the rules about the deletion of objects. Source:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-deletion
 */
export function deletionRules(rule: Rule): void {
  rule('answers the delete of an object with a Status that names it', async (scope) => {
    const name = scope.name('deleted');
    const path = scope.core('configmaps', name);
    const { metadata } = await create(scope, scope.core('configmaps'), configMap(name));
    const answer = await scope.api.delete(path);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        kind: 'Status',
        status: 'Success',
        details: { name, kind: 'configmaps', uid: metadata.uid },
      },
    });
    const read = await scope.api.get(path);
    expectRefusal(read, 404, 'NotFound');
    expect(read.body).toMatchObject({
      message: `configmaps "${name}" not found`,
      details: { name, kind: 'configmaps' },
    });
    expectRefusal(await scope.api.delete(path), 404, 'NotFound');
  });

  rule('names the API group in a Status about an object of a group', async (scope) => {
    const name = scope.name('grouped');
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${scope.namespace}/roles/${name}`;
    const answer = await scope.api.get(path);
    expectRefusal(answer, 404, 'NotFound');
    expect(answer.body).toMatchObject({
      message: `roles.rbac.authorization.k8s.io "${name}" not found`,
      details: { name, group: 'rbac.authorization.k8s.io', kind: 'roles' },
    });
  });

  rule('answers the delete of a ServiceAccount with the object', async (scope) => {
    const name = scope.name('account');
    const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
    const { metadata } = await create(scope, scope.core('serviceaccounts'), object);
    const answer = await scope.api.delete(scope.core('serviceaccounts', name));
    const { uid } = metadata;
    expect(answer).toMatchObject({ status: 200, body: { kind: 'ServiceAccount', metadata: { name, uid } } });
  });

  rule('gives an object that is created again another uid', async (scope) => {
    const name = scope.name('again');
    const first = await create(scope, scope.core('configmaps'), configMap(name));
    await scope.api.delete(scope.core('configmaps', name));
    const second = await create(scope, scope.core('configmaps'), configMap(name));
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    expect(BigInt(second.metadata.resourceVersion)).toBeGreaterThan(BigInt(first.metadata.resourceVersion));
  });

  rule('deletes only the object whose uid the preconditions name', async (scope) => {
    const name = scope.name('uid');
    const path = scope.core('configmaps', name);
    const { metadata } = await create(scope, scope.core('configmaps'), configMap(name));
    const other = { preconditions: { uid: '11111111-1111-1111-1111-111111111111' } };
    expectRefusal(await scope.api.delete(path, { body: deleteOptions(other) }), 409, 'Conflict');
    expect((await scope.api.get(path)).status).toBe(200);
    const own = { preconditions: { uid: metadata.uid } };
    expect(await scope.api.delete(path, { body: deleteOptions(own) })).toMatchObject({ status: 200 });
    expect((await scope.api.get(path)).status).toBe(404);
  });

  rule('refuses a propagationPolicy that does not exist', async (scope) => {
    const name = scope.name('policy');
    const path = scope.core('configmaps', name);
    await create(scope, scope.core('configmaps'), configMap(name));
    const unknown = await scope.api.delete(path, { query: { propagationPolicy: 'Sideways' } });
    expectInvalid(unknown, 'propagationPolicy');
    const both = deleteOptions({ propagationPolicy: 'Background', orphanDependents: false });
    expectInvalid(await scope.api.delete(path, { body: both }), 'propagationPolicy');
    expect((await scope.api.get(path)).status).toBe(200);
    const background = { query: { propagationPolicy: 'Background' } };
    expect(await scope.api.delete(path, background)).toMatchObject({ status: 200 });
  });

  rule('deletes of a collection the objects that the selectors select', async (scope) => {
    const part = scope.name('collection');
    const names = [0, 1, 2].map((number) => `${part}-${number}`);
    for (const name of names) {
      await create(scope, scope.core('configmaps'), configMap(name, {}, { labels: { part } }));
    }
    const [first = '', ...others] = names;
    const query = { labelSelector: `part=${part}`, fieldSelector: `metadata.name!=${first}` };
    expect((await scope.api.delete(scope.core('configmaps'), { query })).status).toBe(200);
    expect((await scope.api.get(scope.core('configmaps', first))).status).toBe(200);
    for (const name of others) expect((await scope.api.get(scope.core('configmaps', name))).status).toBe(404);
  });
}
