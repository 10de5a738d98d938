import { expect } from 'expect';
import type { PatchType } from '../../suite/api.js';
import type { Rule } from '../../suite/case.js';
import { configMap } from '../../suite/objects.js';
import { deployment, deployments } from '../../suite/workloads.js';
import { create, expectInvalid, expectRefusal } from '../../suite/write.js';

const query = { dryRun: 'All' };

/** Declares the rules about dry runs. Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run */
export function dryRunRules(rule: Rule): void {
  rule('answers a dry run of a create with the object and stores nothing', async (scope) => {
    const name = scope.name('dry-create');
    const answer = await scope.api.post(scope.core('configmaps'), configMap(name, { a: '1' }), { query });
    expect(answer).toMatchObject({
      status: 201,
      body: { metadata: { name, namespace: scope.namespace, uid: expect.any(String) }, data: { a: '1' } },
    });
    expectRefusal(await scope.api.get(scope.core('configmaps', name)), 404, 'NotFound');
  });

  rule('checks a dry run of a create like a create', async (scope) => {
    const name = scope.name('dry-checks');
    const invalid = await scope.api.post(scope.core('configmaps'), configMap(`${name}_`), { query });
    expectInvalid(invalid, 'metadata.name');
    await create(scope, scope.core('configmaps'), configMap(name));
    const taken = await scope.api.post(scope.core('configmaps'), configMap(name), { query });
    expectRefusal(taken, 409, 'AlreadyExists');
  });

  rule('fills in defaults in a dry run', async (scope) => {
    const name = scope.name('dry-defaults');
    const answer = await scope.api.post(deployments(scope.namespace), deployment(name), { query });
    expect(answer).toMatchObject({
      status: 201,
      body: { metadata: { generation: 1 }, spec: { revisionHistoryLimit: 10 } },
    });
  });

  rule('answers a dry run of an update with the new object and keeps the stored one', async (scope) => {
    const name = scope.name('dry-update');
    const path = scope.core('configmaps', name);
    const created = await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
    const { resourceVersion } = created.metadata;
    const answer = await scope.api.put(path, configMap(name, { a: '2' }), { query });
    expect(answer).toMatchObject({ status: 200, body: { data: { a: '2' } } });
    const stale = configMap(name, { a: '2' }, { resourceVersion: '1' });
    expectRefusal(await scope.api.put(path, stale, { query }), 409, 'Conflict');
    const read = await scope.api.get(path);
    expect(read.body).toMatchObject({ metadata: { resourceVersion }, data: { a: '1' } });
  });

  rule('answers a dry run of a patch of each type and keeps the stored object', async (scope) => {
    const name = scope.name('dry-patch');
    const path = scope.core('configmaps', name);
    const created = await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
    const { resourceVersion } = created.metadata;
    const changed = { data: { a: '2' } };
    const patches: [PatchType, unknown][] = [
      ['json', [{ op: 'replace', path: '/data/a', value: '2' }]],
      ['merge', changed],
      ['strategic', changed],
    ];
    for (const [type, patch] of patches) {
      const answer = await scope.api.patch(path, type, patch, { query });
      expect(answer).toMatchObject({ status: 200, body: changed });
    }
    const applied = await scope.api.apply(path, 'dry', configMap(name, { b: '3' }), { query });
    expect(applied).toMatchObject({ status: 200, body: { data: { a: '1', b: '3' } } });
    const read = await scope.api.get(path);
    expect(read.body).toMatchObject({ metadata: { resourceVersion }, data: { a: '1' } });
  });

  rule('answers a dry run of an apply that creates with 201 and stores nothing', async (scope) => {
    const name = scope.name('dry-apply');
    const path = scope.core('configmaps', name);
    const answer = await scope.api.apply(path, 'dry', configMap(name, { a: '1' }), { query });
    expect(answer).toMatchObject({ status: 201, body: { data: { a: '1' } } });
    expectRefusal(await scope.api.get(path), 404, 'NotFound');
  });

  rule('answers a dry run of a status update and keeps the stored status', async (scope) => {
    const name = await scope.ownNamespace();
    const path = `/api/v1/namespaces/${name}`;
    const status = { conditions: [{ type: 'example.com/Checked', status: 'True' }] };
    const answer = await scope.api.patch(`${path}/status`, 'merge', { status }, { query });
    expect(answer).toMatchObject({ status: 200, body: { status } });
    expect((await scope.api.get(path)).body.status).not.toHaveProperty('conditions');
  });

  rule('keeps the object in a dry run of a delete', async (scope) => {
    const name = scope.name('dry-delete');
    const path = scope.core('configmaps', name);
    const { metadata } = await create(scope, scope.core('configmaps'), configMap(name));
    expect(await scope.api.delete(path, { query })).toMatchObject({ status: 200 });
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] };
    expect(await scope.api.delete(path, { body: options })).toMatchObject({ status: 200 });
    const { resourceVersion } = metadata;
    const read = await scope.api.get(path);
    expect(read).toMatchObject({ status: 200, body: { metadata: { resourceVersion } } });
    expect(read.body.metadata.deletionTimestamp).toBeUndefined();
    const absent = await scope.api.delete(`${path}-absent`, { query });
    expectRefusal(absent, 404, 'NotFound');
  });

  rule('keeps the objects in a dry run of a delete of a collection', async (scope) => {
    const name = scope.name('dry-collection');
    const labels = { part: name };
    await create(scope, scope.core('configmaps'), configMap(name, {}, { labels }));
    const selected = { labelSelector: `part=${name}` };
    const dry = await scope.api.delete(scope.core('configmaps'), { query: { ...selected, ...query } });
    expect(dry.status).toBe(200);
    expect((await scope.api.get(scope.core('configmaps', name))).status).toBe(200);
    const real = await scope.api.delete(scope.core('configmaps'), { query: selected });
    expect(real.status).toBe(200);
    expect((await scope.api.get(scope.core('configmaps', name))).status).toBe(404);
  });

  rule('refuses another value of dryRun than All with 422', async (scope) => {
    const name = scope.name('dry-value');
    const path = scope.core('configmaps', name);
    const options = { query: { dryRun: 'true' } };
    expectInvalid(await scope.api.post(scope.core('configmaps'), configMap(name), options), 'dryRun');
    await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
    expectInvalid(await scope.api.put(path, configMap(name), options), 'dryRun');
    expectInvalid(await scope.api.patch(path, 'merge', { data: { a: '2' } }, options), 'dryRun');
    expectInvalid(await scope.api.delete(path, options), 'dryRun');
    expect((await scope.api.get(path)).body.data).toEqual({ a: '1' });
  });
}
