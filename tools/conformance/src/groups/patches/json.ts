import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { configMap } from '../../suite/objects.js';
import { container, containersOf, deployment, deployments } from '../../suite/workloads.js';
import { create, expectRefusal } from '../../suite/write.js';

const maxOperations = 10_000;

/** Declares the rules of RFC 6902, and additional rules of the API server. */
export function jsonPatchRules(rule: Rule): void {
  rule('applies the operations of a JSON patch in their order', async (scope) => {
    const name = scope.name('operations');
    await create(scope, scope.core('configmaps'), configMap(name, { a: '1', b: '2', c: '3' }));
    const answer = await scope.api.patch(scope.core('configmaps', name), 'json', [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'add', path: '/data/d', value: '4' },
      { op: 'replace', path: '/data/a', value: 'one' },
      { op: 'remove', path: '/data/b' },
      { op: 'move', from: '/data/c', path: '/data/moved' },
      { op: 'copy', from: '/data/a', path: '/data/copied' },
      { op: 'test', path: '/data/copied', value: 'one' },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({ a: 'one', d: '4', moved: '3', copied: 'one' });
  });

  rule('addresses keys with escapes and list items by index in a JSON patch', async (scope) => {
    const name = scope.name('pointers');
    const containers = [container('app', { args: ['a', 'c'] })];
    await create(scope, deployments(scope.namespace), deployment(name, { containers }));
    const args = '/spec/template/spec/containers/0/args';
    const answer = await scope.api.patch(`${deployments(scope.namespace)}/${name}`, 'json', [
      { op: 'add', path: '/metadata/labels', value: { 'example.com/x': 'y' } },
      { op: 'replace', path: '/metadata/labels/example.com~1x', value: 'z' },
      { op: 'add', path: `${args}/1`, value: 'b' },
      { op: 'add', path: `${args}/-`, value: 'd' },
      { op: 'remove', path: `${args}/0` },
    ]);
    expect(answer).toMatchObject({ status: 200, body: { metadata: { labels: { 'example.com/x': 'z' } } } });
    expect(containersOf(answer.body)[0]?.['args']).toEqual(['b', 'c', 'd']);
  });

  rule('applies nothing of a JSON patch with an operation that fails', async (scope) => {
    const name = scope.name('failing');
    const path = scope.core('configmaps', name);
    const { metadata } = await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
    const add = { op: 'add', path: '/data/b', value: '2' };
    for (const failing of [
      { op: 'test', path: '/data/a', value: '2' },
      { op: 'test', path: '/data/absent', value: '2' },
      { op: 'remove', path: '/data/absent' },
      { op: 'replace', path: '/absent/map', value: '2' },
      { op: 'add', path: '/absent/map/key', value: '2' },
      { op: 'move', from: '/data/absent', path: '/data/b' },
    ]) {
      expectRefusal(await scope.api.patch(path, 'json', [add, failing]), 422, 'Invalid');
    }
    const { resourceVersion } = metadata;
    expect((await scope.api.get(path)).body).toMatchObject({
      metadata: { resourceVersion },
      data: { a: '1' },
    });
    expect((await scope.api.patch(path, 'json', [add])).status).toBe(200);
  });

  rule('sets a member that does not exist with a replace of a JSON patch', async (scope) => {
    const name = scope.name('absent');
    await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
    const answer = await scope.api.patch(scope.core('configmaps', name), 'json', [
      { op: 'replace', path: '/data/b', value: '2' },
    ]);
    expect(answer).toMatchObject({ status: 200, body: { data: { a: '1', b: '2' } } });
  });

  rule('refuses a JSON patch that is not a list of operations with 400', async (scope) => {
    const name = scope.name('list');
    await create(scope, scope.core('configmaps'), configMap(name));
    for (const patch of [{ data: { a: '1' } }, '[{"op":', '"text"']) {
      const answer = await scope.api.patch(scope.core('configmaps', name), 'json', patch);
      expectRefusal(answer, 400, 'BadRequest');
    }
  });

  rule('takes up to 10,000 operations in a JSON patch, and refuses more with 413', async (scope) => {
    const name = scope.name('many');
    const path = scope.core('configmaps', name);
    await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
    const operations = (count: number) =>
      Array.from({ length: count }, () => ({ op: 'test', path: '/data/a', value: '1' }));
    const refused = await scope.api.patch(path, 'json', operations(maxOperations + 1));
    expectRefusal(refused, 413, 'RequestEntityTooLarge');
    expect((await scope.api.patch(path, 'json', operations(maxOperations))).status).toBe(200);
  });

  rule('refuses a patch that makes an object that does not decode with 422', async (scope) => {
    const name = scope.name('decodes');
    const path = scope.core('configmaps', name);
    await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
    const json = [{ op: 'replace', path: '/data', value: 'text' }];
    for (const answer of [
      await scope.api.patch(path, 'json', json),
      await scope.api.patch(path, 'merge', { data: { a: 5 } }),
    ]) {
      expectRefusal(answer, 422, 'Invalid');
      expect(answer.body.details?.causes).toMatchObject([{ reason: 'FieldValueInvalid', field: 'patch' }]);
    }
    expect((await scope.api.get(path)).body.data).toEqual({ a: '1' });
  });
}
