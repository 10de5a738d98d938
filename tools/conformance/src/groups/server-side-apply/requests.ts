import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { configMap } from '../../suite/objects.js';
import { create, expectInvalid, expectRefusal } from '../../suite/write.js';

/** Declares the rules about the content of apply requests. */
export function requestRules(rule: Rule): void {
  rule('requires a fieldManager for an apply with 422', async (scope) => {
    const name = scope.name('manager');
    const answer = await scope.api.patch(scope.core('configmaps', name), 'apply', configMap(name));
    expectInvalid(answer, 'fieldManager');
    expect(answer.body.details).toMatchObject({ group: 'meta.k8s.io', kind: 'PatchOptions' });
    expect((await scope.api.get(scope.core('configmaps', name))).status).toBe(404);
  });

  rule('refuses a fieldManager of more than 128 bytes or with control characters', async (scope) => {
    const name = scope.name('invalid');
    const path = scope.core('configmaps', name);
    for (const fieldManager of ['m'.repeat(129), 'tab\tin it', 'line\n']) {
      expectInvalid(await scope.api.apply(path, fieldManager, configMap(name)), 'fieldManager');
      const query = { fieldManager };
      expectInvalid(
        await scope.api.post(scope.core('configmaps'), configMap(name), { query }),
        'fieldManager',
      );
    }
    const query = { dryRun: 'All' };
    const long = await scope.api.apply(path, 'm'.repeat(128), configMap(name), { query });
    expect(long.status).toBe(201);
  });

  rule('takes force only for an apply', async (scope) => {
    const name = scope.name('force');
    const path = scope.core('configmaps', name);
    await create(scope, scope.core('configmaps'), configMap(name));
    const patch = { data: { a: '1' } };
    expectInvalid(await scope.api.patch(path, 'merge', patch, { query: { force: true } }), 'force');
    expect((await scope.api.patch(path, 'merge', patch)).status).toBe(200);
  });

  rule('requires the apiVersion and kind of the path in an applied configuration', async (scope) => {
    const name = scope.name('kind');
    const path = scope.core('configmaps', name);
    const config = configMap(name);
    for (const wrong of [{ kind: undefined }, { apiVersion: undefined }, { apiVersion: 'v2' }]) {
      expectRefusal(await scope.api.apply(path, 'one', { ...config, ...wrong }), 400, 'BadRequest');
    }
    const query = { dryRun: 'All' };
    expect((await scope.api.apply(path, 'one', config, { query })).status).toBe(201);
  });

  rule('refuses an applied configuration of another name or namespace with 400', async (scope) => {
    const name = scope.name('name');
    const path = scope.core('configmaps', name);
    for (const metadata of [{ name: `${name}-other` }, { namespace: 'default' }]) {
      const answer = await scope.api.apply(path, 'one', configMap(name, {}, metadata));
      expectRefusal(answer, 400, 'BadRequest');
    }
    expect((await scope.api.get(path)).status).toBe(404);
    const { namespace } = scope;
    const query = { dryRun: 'All' };
    const placed = await scope.api.apply(path, 'one', configMap(name, {}, { namespace }), { query });
    expect(placed.status).toBe(201);
  });

  rule('refuses managedFields in an applied configuration with 400', async (scope) => {
    const name = scope.name('managed');
    const managedFields = [
      { manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} },
    ];
    const answer = await scope.api.apply(
      scope.core('configmaps', name),
      'one',
      configMap(name, {}, { managedFields }),
    );
    expectRefusal(answer, 400, 'BadRequest');
    expect(answer.body.message).toContain('metadata.managedFields must be nil');
  });

  rule('refuses an apply with a stale resourceVersion with 409', async (scope) => {
    const name = scope.name('stale');
    const path = scope.core('configmaps', name);
    const first = await scope.api.apply(path, 'one', configMap(name, { k: '1' }));
    scope.deleteAfterwards(path);
    const { resourceVersion } = first.body.metadata;
    const current = await scope.api.apply(path, 'one', configMap(name, { k: '2' }, { resourceVersion }));
    expect(current).toMatchObject({ status: 200, body: { data: { k: '2' } } });
    const stale = await scope.api.apply(path, 'one', configMap(name, { k: '3' }, { resourceVersion }));
    expectRefusal(stale, 409, 'Conflict');
    expect(stale.body.message).toContain('the object has been modified');
  });

  rule('refuses to create an object by an apply that carries a uid with 409', async (scope) => {
    const name = scope.name('uid');
    const path = scope.core('configmaps', name);
    const uid = '11111111-1111-1111-1111-111111111111';
    const answer = await scope.api.apply(path, 'one', configMap(name, {}, { uid }));
    expectRefusal(answer, 409, 'Conflict');
    expect(answer.body.message).toContain('uid mismatch');
    expect((await scope.api.get(path)).status).toBe(404);
  });

  rule('refuses to apply to an object with another uid than the configuration with 422', async (scope) => {
    const name = scope.name('another');
    const path = scope.core('configmaps', name);
    const { metadata } = await create(scope, scope.core('configmaps'), configMap(name));
    const uid = '11111111-1111-1111-1111-111111111111';
    expectInvalid(await scope.api.apply(path, 'one', configMap(name, { k: 'v' }, { uid })), 'metadata.uid');
    const own = configMap(name, { k: 'v' }, { uid: metadata.uid });
    expect(await scope.api.apply(path, 'one', own)).toMatchObject({
      status: 200,
      body: { data: { k: 'v' } },
    });
  });

  rule('refuses a field that the schema does not have in an applied configuration', async (scope) => {
    const name = scope.name('unknown');
    const path = scope.core('configmaps', name);
    const answer = await scope.api.apply(path, 'one', { ...configMap(name), unknown: {} });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body.message).toContain('field not declared in schema');
    expect((await scope.api.get(path)).status).toBe(404);
  });

  rule('refuses an applied configuration that is not an object with 400', async (scope) => {
    const name = scope.name('text');
    for (const text of ['just text', '- a\n- list\n', 'a: [b']) {
      const answer = await scope.api.apply(scope.core('configmaps', name), 'one', text);
      expectRefusal(answer, 400, 'BadRequest');
    }
  });

  rule('validates the result of an apply with 422', async (scope) => {
    const name = scope.name('validated');
    const path = scope.core('configmaps', name);
    const config = configMap(name, { 'not a key': 'x' });
    expectInvalid(await scope.api.apply(path, 'one', config), 'data[not a key]');
    await create(scope, scope.core('configmaps'), { ...configMap(name, { a: '1' }), immutable: true });
    expectInvalid(await scope.api.apply(path, 'one', configMap(name, { b: '1' })), 'data');
  });
}
