import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json, JsonObject, Schema } from '../schema/types.js';
import { strategicMerge } from './strategic-merge.js';

const text: Schema = { type: 'string' };
const keyed: Schema = {
  type: 'array',
  'x-kubernetes-patch-strategy': 'merge',
  'x-kubernetes-patch-merge-key': 'name',
  items: { type: 'object', properties: { name: text, value: text } },
};
const schema: Schema = {
  type: 'object',
  properties: {
    env: keyed,
    nested: { type: 'object', additionalProperties: { type: 'object', properties: { env: keyed } } },
    scalars: { type: 'array', items: text, 'x-kubernetes-patch-strategy': 'merge' },
    plain: { type: 'array', items: { type: 'object' } },
    replaced: { type: 'object', 'x-kubernetes-patch-strategy': 'replace', additionalProperties: text },
    retained: {
      type: 'object',
      'x-kubernetes-patch-strategy': 'retainKeys',
      properties: { a: text, b: text, c: text },
    },
    unkeyed: { type: 'array', items: { type: 'object' }, 'x-kubernetes-patch-strategy': 'merge' },
  },
};

const env = (...names: string[]): JsonObject[] => names.map((name) => ({ name, value: name }));

describe('strategicMerge', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['deletes a field whose value is null', { a: 1, b: 2 }, { a: null, c: null }, { b: 2 }],
    ['merges objects', { o: { a: 1 } }, { o: { b: 2 } }, { o: { a: 1, b: 2 } }],
    ['replaces a value of another type', { o: { a: 1 } }, { o: ['x'] }, { o: ['x'] }],
    [
      'replaces a list without a strategy',
      { plain: [{ a: 1 }] },
      { plain: [{ b: 2 }] },
      { plain: [{ b: 2 }] },
    ],
    [
      'merges items by their key',
      { env: env('a', 'b') },
      { env: [{ name: 'b', value: 'x' }] },
      {
        env: [
          { name: 'a', value: 'a' },
          { name: 'b', value: 'x' },
        ],
      },
    ],
    [
      'merges items below additional properties by their key',
      { nested: { x: { env: env('a') } } },
      { nested: { x: { env: env('b') } } },
      { nested: { x: { env: env('b', 'a') } } },
    ],
    [
      'deletes an item',
      { env: env('a', 'b') },
      { env: [{ name: 'a', $patch: 'delete' }] },
      { env: env('b') },
    ],
    [
      'replaces a list',
      { env: env('a', 'b') },
      { env: [{ $patch: 'replace' }, ...env('c')] },
      { env: env('c') },
    ],
    ['replaces an object', { o: { a: 1 } }, { o: { $patch: 'replace', b: 2 } }, { o: { b: 2 } }],
    ['removes all fields of an object', { o: { a: 1 } }, { o: { $patch: 'delete' } }, { o: {} }],
    [
      'merges lists of scalars',
      { scalars: ['a', 'b'] },
      { scalars: ['b', 'c'] },
      { scalars: ['a', 'b', 'c'] },
    ],
    [
      'deletes scalars from a list',
      { scalars: ['a', 'b'] },
      { '$deleteFromPrimitiveList/scalars': ['a', 'z'] },
      { scalars: ['b'] },
    ],
    ['ignores a deletion from an absent list', {}, { '$deleteFromPrimitiveList/scalars': ['a'] }, {}],
    [
      'replaces a map with the strategy replace',
      { replaced: { a: '1' } },
      { replaced: { b: '2' } },
      { replaced: { b: '2' } },
    ],
    [
      'removes keys that are not retained',
      { retained: { a: '1', b: '2' } },
      { retained: { $retainKeys: ['b', 'c'], c: '3' } },
      { retained: { b: '2', c: '3' } },
    ],
    [
      'removes the directives for an absent object',
      {},
      { env: [{ name: 'x', $patch: 'delete' }, ...env('a')], o: { a: null, b: 1 } },
      { env: env('a'), o: { b: 1 } },
    ],
    [
      'sets the order of items',
      { env: env('a', 'b', 'c') },
      { '$setElementOrder/env': [{ name: 'c' }, { name: 'a' }] },
      { env: env('b', 'c', 'a') },
    ],
    [
      'inserts new items at their position in the file of kubectl apply',
      { env: env('a', 'b') },
      { '$setElementOrder/env': [{ name: 'n' }, { name: 'a' }, { name: 'b' }], env: env('n') },
      { env: env('n', 'a', 'b') },
    ],
    [
      'sets the order of scalars',
      { scalars: ['a', 'b'] },
      { '$setElementOrder/scalars': ['c', 'b'], scalars: ['c'] },
      { scalars: ['c', 'a', 'b'] },
    ],
    [
      'merges the finalizers of every kind',
      { metadata: { finalizers: ['a'] } },
      { metadata: { finalizers: ['b'] } },
      { metadata: { finalizers: ['b', 'a'] } },
    ],
    [
      'merges the owners of every kind by uid',
      { metadata: { ownerReferences: [{ uid: '1', name: 'x' }] } },
      { metadata: { ownerReferences: [{ uid: '1', $patch: 'delete' }] } },
      { metadata: { ownerReferences: [] } },
    ],
  ])('%s', (_, live, patch, result) => {
    const before = structuredClone(live);
    expect(strategicMerge(live, patch, schema)).toEqual(result);
    expect(live).toEqual(before);
  });

  it.each<[string, Json, number, string]>([
    ['a patch that is a list', [], 400, 'invalid JSON document'],
    [
      'an item without the merge key',
      { env: [{ value: 'x' }] },
      500,
      'map: {"value":"x"} does not contain declared merge key: name',
    ],
    [
      'an unknown directive',
      { o: { $patch: 'shake' } },
      500,
      'unknown patch type: shake in map: {"$patch":"shake"}',
    ],
    [
      'objects without a merge key',
      { unkeyed: [{ a: 1 }] },
      500,
      'cannot merge lists without merge key for type map',
    ],
    [
      'a key that is not retained',
      { o: { $retainKeys: ['a'], b: 1 } },
      422,
      'the server rejected our request due to an error in our request',
    ],
    [
      'retained keys that are not lists',
      { o: { $retainKeys: 'a' } },
      422,
      'the server rejected our request due to an error in our request',
    ],
  ])('refuses %s', (_, patch, code, message) => {
    const live = { env: env('a'), o: { a: 1 }, unkeyed: [{ a: 1 }] };
    expect(() => strategicMerge(live, patch, schema)).toThrow(expect.objectContaining({ code, message }));
  });

  it('refuses a patch whose items contradict the order', () => {
    const patch = { '$setElementOrder/env': [{ name: 'b' }, { name: 'a' }], env: env('a', 'b') };
    expect(() => strategicMerge({ env: [] }, patch, schema)).toThrow(/^The order in patch list:/);
  });

  it('does not change the object for an empty patch or for the object itself, and is idempotent', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'));
    const objects = fc.record(
      {
        env: names.map((list) => env(...list)),
        scalars: names,
        nested: fc.dictionary(
          fc.constantFrom('x', 'y'),
          fc.record({ env: names.map((list) => env(...list)) }),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(objects, objects, (live, patch) => {
        expect(strategicMerge(live, {}, schema)).toEqual(live);
        expect(strategicMerge(live, live, schema)).toEqual(live);
        const once = strategicMerge(live, patch, schema);
        expect(strategicMerge(once, patch, schema)).toEqual(once);
      }),
    );
  });
});
