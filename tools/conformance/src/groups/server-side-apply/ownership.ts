import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { ownedBy, managersOf } from '../../suite/managers.js';
import { configMap } from '../../suite/objects.js';
import { create } from '../../suite/write.js';

/** Declares the rules about the ownership of fields, and about fields that their owner no longer applies. */
export function ownershipRules(rule: Rule): void {
  rule('creates an object by apply with 201 and records the applied fields', async (scope) => {
    const name = scope.name('created');
    const path = scope.core('configmaps', name);
    const labels = { a: 'b' };
    const answer = await scope.api.apply(path, 'one', configMap(name, { k: 'v' }, { labels }));
    scope.deleteAfterwards(path);
    expect(answer).toMatchObject({ status: 201, body: { metadata: { name, labels }, data: { k: 'v' } } });
    expect(answer.body.metadata.managedFields).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'v1',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } }, 'f:data': { 'f:k': {} } },
      },
    ]);
  });

  rule('answers 200 with the same resourceVersion to an apply that changes nothing', async (scope) => {
    const name = scope.name('again');
    const path = scope.core('configmaps', name);
    const config = configMap(name, { k: 'v' });
    const first = await scope.api.apply(path, 'one', config);
    scope.deleteAfterwards(path);
    const { resourceVersion, managedFields } = first.body.metadata;
    const again = await scope.api.apply(path, 'one', config);
    expect(again).toMatchObject({ status: 200, body: { metadata: { resourceVersion, managedFields } } });
    const changed = await scope.api.apply(path, 'one', configMap(name, { k: 'w' }));
    expect(changed).toMatchObject({ status: 200, body: { data: { k: 'w' } } });
    expect(changed.body.metadata.resourceVersion).not.toBe(resourceVersion);
  });

  rule('takes an applied configuration as YAML', async (scope) => {
    const name = scope.name('yaml');
    const path = scope.core('configmaps', name);
    const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  k: "1" # a comment\n`;
    const answer = await scope.api.apply(path, 'one', yaml);
    scope.deleteAfterwards(path);
    expect(answer).toMatchObject({ status: 201, body: { data: { k: '1' } } });
  });

  rule('records the fields of a create and of an update under their managers', async (scope) => {
    const name = scope.name('updates');
    const path = scope.core('configmaps', name);
    const query = { fieldManager: 'creator' };
    const created = await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }), { query });
    expect(ownedBy(created, 'creator', 'Update')).toEqual({ 'f:data': { '.': {}, 'f:a': {} } });
    const patched = await scope.api.patch(
      path,
      'merge',
      { data: { a: '2', b: '3' } },
      {
        query: { fieldManager: 'patcher' },
      },
    );
    expect(ownedBy(patched.body, 'patcher', 'Update')).toEqual({ 'f:data': { 'f:a': {}, 'f:b': {} } });
    expect(ownedBy(patched.body, 'creator', 'Update')).toEqual({ 'f:data': {} });
  });

  rule('names the manager of an update without fieldManager after the user agent', async (scope) => {
    const name = scope.name('agent');
    const headers = { 'user-agent': 'my-tool/v1.2 (linux)' };
    const created = await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }), { headers });
    expect(managersOf(created)).toEqual(['my-tool']);
  });

  rule('removes a field that its only manager no longer applies', async (scope) => {
    const name = scope.name('removed');
    const path = scope.core('configmaps', name);
    await scope.api.apply(path, 'one', configMap(name, { keep: '1', drop: '2' }));
    scope.deleteAfterwards(path);
    await scope.api.patch(path, 'merge', { data: { other: '3' } });
    const answer = await scope.api.apply(path, 'one', configMap(name, { keep: '1' }));
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({ keep: '1', other: '3' });
    expect(ownedBy(answer.body, 'one')).toEqual({ 'f:data': { 'f:keep': {} } });
  });

  rule('lets managers share a field that they apply with the same value', async (scope) => {
    const name = scope.name('shared');
    const path = scope.core('configmaps', name);
    await scope.api.apply(path, 'one', configMap(name, { k: 'v' }));
    scope.deleteAfterwards(path);
    const shared = await scope.api.apply(path, 'two', configMap(name, { k: 'v' }));
    expect(shared.status).toBe(200);
    for (const manager of ['one', 'two']) {
      expect(ownedBy(shared.body, manager)).toEqual({ 'f:data': { 'f:k': {} } });
    }
    const left = await scope.api.apply(path, 'one', configMap(name, { other: 'x' }));
    expect(left.body.data).toEqual({ k: 'v', other: 'x' });
    const gone = await scope.api.apply(path, 'two', configMap(name, { own: 'y' }));
    expect(gone.body.data).toEqual({ other: 'x', own: 'y' });
  });

  rule('keeps the fields of one manager while another applies others', async (scope) => {
    const name = scope.name('others');
    const path = scope.core('configmaps', name);
    await scope.api.apply(path, 'one', configMap(name, { one: '1' }));
    scope.deleteAfterwards(path);
    const answer = await scope.api.apply(path, 'two', configMap(name, { two: '2' }));
    expect(answer.body.data).toEqual({ one: '1', two: '2' });
    expect(ownedBy(answer.body, 'one')).toEqual({ 'f:data': { 'f:one': {} } });
    expect(ownedBy(answer.body, 'two')).toEqual({ 'f:data': { 'f:two': {} } });
  });

  rule('moves a field from its applier to an updater that changes the value', async (scope) => {
    const name = scope.name('moved');
    const path = scope.core('configmaps', name);
    await scope.api.apply(path, 'one', configMap(name, { k: 'v', own: 'x' }));
    scope.deleteAfterwards(path);
    const query = { fieldManager: 'editor' };
    const answer = await scope.api.patch(path, 'merge', { data: { k: 'w' } }, { query });
    expect(ownedBy(answer.body, 'one')).toEqual({ 'f:data': { 'f:own': {} } });
    expect(ownedBy(answer.body, 'editor', 'Update')).toEqual({ 'f:data': { 'f:k': {} } });
  });

  rule('tracks a manager that applies and updates in two entries', async (scope) => {
    const name = scope.name('both');
    const path = scope.core('configmaps', name);
    await scope.api.apply(path, 'one', configMap(name, { applied: '1' }));
    scope.deleteAfterwards(path);
    const query = { fieldManager: 'one' };
    const { body } = await scope.api.patch(path, 'merge', { data: { updated: '2' } }, { query });
    expect(ownedBy(body, 'one')).toEqual({ 'f:data': { 'f:applied': {} } });
    expect(ownedBy(body, 'one', 'Update')).toEqual({ 'f:data': { 'f:updated': {} } });
  });

  rule('strips the managers of an object whose managedFields become one empty entry', async (scope) => {
    const name = scope.name('stripped');
    const path = scope.core('configmaps', name);
    await scope.api.apply(path, 'one', configMap(name, { k: 'v' }));
    scope.deleteAfterwards(path);
    const stripped = await scope.api.patch(path, 'merge', { metadata: { managedFields: [{}] } });
    expect(stripped).toMatchObject({ status: 200, body: { data: { k: 'v' } } });
    expect(stripped.body.metadata.managedFields).toBeUndefined();
    const applied = await scope.api.apply(path, 'two', configMap(name, { other: 'x' }));
    expect(ownedBy(applied.body, 'before-first-apply', 'Update')).toMatchObject({ 'f:data': { 'f:k': {} } });
    expect(ownedBy(applied.body, 'two')).toEqual({ 'f:data': { 'f:other': {} } });
  });

  rule('strips the managers of a built-in object whose managedFields become an empty list', async (scope) => {
    const name = scope.name('emptied');
    const path = scope.core('configmaps', name);
    await scope.api.apply(path, 'one', configMap(name, { k: 'v' }));
    scope.deleteAfterwards(path);
    const patches = [
      ['merge', { metadata: { managedFields: [] } }],
      ['json', [{ op: 'replace', path: '/metadata/managedFields', value: [] }]],
      ['strategic', { metadata: { managedFields: [] } }],
    ] as const;
    for (const [type, patch] of patches) {
      await scope.api.apply(path, 'one', configMap(name, { k: 'v' }));
      const stripped = await scope.api.patch(path, type, patch);
      expect(stripped).toMatchObject({ status: 200, body: { data: { k: 'v' } } });
      expect(stripped.body.metadata.managedFields).toBeUndefined();
    }
  });
}
