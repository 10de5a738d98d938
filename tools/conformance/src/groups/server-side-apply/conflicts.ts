import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { ownedBy } from '../../suite/managers.js';
import { configMap } from '../../suite/objects.js';
import { causesOf, create, expectRefusal } from '../../suite/write.js';

/**
 * Declares the rules about conflicts.
 * Source: https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
 */
export function conflictRules(rule: Rule): void {
  rule('refuses to change a field of another applier with 409 and names both', async (scope) => {
    const name = scope.name('conflict');
    const path = scope.core('configmaps', name);
    await scope.api.apply(path, 'one', configMap(name, { k: 'v' }));
    scope.deleteAfterwards(path);
    const answer = await scope.api.apply(path, 'two', configMap(name, { k: 'w', other: 'x' }));
    expectRefusal(answer, 409, 'Conflict');
    expect(answer.body.message).toBe('Apply failed with 1 conflict: conflict with "one": .data.k');
    expect(causesOf(answer)).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.k' },
    ]);
    expect((await scope.api.get(path)).body.data).toEqual({ k: 'v' });
  });

  rule('names every conflict of an apply, with the manager and the field of each', async (scope) => {
    const name = scope.name('conflicts');
    const path = scope.core('configmaps', name);
    await scope.api.apply(path, 'one', configMap(name, { a: '1', b: '1' }));
    scope.deleteAfterwards(path);
    await scope.api.apply(path, 'two', configMap(name, { c: '1' }));
    const answer = await scope.api.apply(path, 'three', configMap(name, { a: '2', b: '2', c: '2' }));
    expectRefusal(answer, 409, 'Conflict');
    expect(answer.body.message).toContain('Apply failed with 3 conflicts');
    const found = causesOf(answer).map(({ message, field }) => `${message ?? ''}: ${field ?? ''}`);
    expect(found.sort()).toEqual([
      'conflict with "one": .data.a',
      'conflict with "one": .data.b',
      'conflict with "two": .data.c',
    ]);
  });

  rule('refuses to change a field of an updater with 409 and names its version', async (scope) => {
    const name = scope.name('updater');
    const path = scope.core('configmaps', name);
    const query = { fieldManager: 'editor' };
    await create(scope, scope.core('configmaps'), configMap(name, { k: 'v' }), { query });
    const answer = await scope.api.apply(path, 'one', configMap(name, { k: 'w' }));
    expectRefusal(answer, 409, 'Conflict');
    expect(causesOf(answer)).toMatchObject([{ reason: 'FieldManagerConflict', field: '.data.k' }]);
    expect(causesOf(answer)[0]?.message).toContain('conflict with "editor" using v1');
    const shared = await scope.api.apply(path, 'one', configMap(name, { k: 'v' }));
    expect(shared.status).toBe(200);
  });

  rule('takes a field from its manager with force', async (scope) => {
    const name = scope.name('force');
    const path = scope.core('configmaps', name);
    await scope.api.apply(path, 'one', configMap(name, { k: 'v', own: 'x' }));
    scope.deleteAfterwards(path);
    const query = { force: true };
    const answer = await scope.api.apply(path, 'two', configMap(name, { k: 'w' }), { query });
    expect(answer).toMatchObject({ status: 200, body: { data: { k: 'w', own: 'x' } } });
    expect(ownedBy(answer.body, 'one')).toEqual({ 'f:data': { 'f:own': {} } });
    expect(ownedBy(answer.body, 'two')).toEqual({ 'f:data': { 'f:k': {} } });
    expectRefusal(await scope.api.apply(path, 'one', configMap(name, { k: 'v' })), 409, 'Conflict');
  });

  rule('has no conflict with a manager that updates a field that no manager applies', async (scope) => {
    const name = scope.name('free');
    const path = scope.core('configmaps', name);
    await scope.api.apply(path, 'one', configMap(name, { k: 'v' }));
    scope.deleteAfterwards(path);
    await scope.api.patch(path, 'merge', { data: { free: '1' } }, { query: { fieldManager: 'editor' } });
    const answer = await scope.api.apply(path, 'one', configMap(name, { k: 'w' }));
    expect(answer).toMatchObject({ status: 200, body: { data: { k: 'w', free: '1' } } });
  });
}
