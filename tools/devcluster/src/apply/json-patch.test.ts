import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json, JsonObject } from '../schema/types.js';
import { jsonMergePatch, jsonPatch } from './json-patch.js';

const live: JsonObject = { data: { a: '1' }, list: ['x', 'y'] };

describe('jsonPatch', () => {
  it('applies all operations in order, and does not change the live object', () => {
    const copy = structuredClone(live);
    const patched = jsonPatch(live, [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'add', path: '/data/b~1c', value: '2' },
      { op: 'move', from: '/list/0', path: '/list/1' },
      { op: 'copy', from: '/data/a', path: '/data/z' },
      { op: 'replace', path: '/data/a', value: null },
    ]);
    expect(patched).toEqual({ data: { a: null, 'b/c': '2', z: '1' }, list: ['y', 'x'] });
    expect(live).toEqual(copy);
  });

  it('sets a member of an object with a replace, also one that does not exist', () => {
    const patched = jsonPatch(live, [
      { op: 'add', path: '/spec', value: {} },
      { op: 'replace', path: '/spec/b', value: '2' },
      { op: 'replace', path: '/list/1', value: 'z' },
    ]);
    expect(patched).toEqual({ ...live, spec: { b: '2' }, list: ['x', 'z'] });
  });

  it.each<[string, Json]>([
    ['a test that fails', [{ op: 'test', path: '/data/a', value: '2' }]],
    ['a removed path that does not exist', [{ op: 'remove', path: '/data/none' }]],
    ['a replaced path that does not exist', [{ op: 'replace', path: '/none/none', value: 1 }]],
    ['a replaced index that is out of range', [{ op: 'replace', path: '/list/9', value: 1 }]],
    ['a replaced prototype', [{ op: 'replace', path: '/__proto__/polluted', value: 1 }]],
    ['an index that is out of range', [{ op: 'add', path: '/list/9', value: 1 }]],
    ['an unknown operation', [{ op: 'jump', path: '/data' }]],
    ['no path', [{ op: 'remove' }]],
    ['prototype', [{ op: 'add', path: '/__proto__/polluted', value: 1 }]],
    ['the object itself', [{ op: 'replace', path: '', value: 1 }]],
  ])('returns 422 without a reason: %s', (_, operations) => {
    expect(() => jsonPatch(live, operations)).toThrow(
      expect.objectContaining({
        code: 422,
        reason: 'Invalid',
        message: 'the server rejected our request due to an error in our request',
        details: {},
      }),
    );
  });

  it.each<[Json, string]>([
    [{}, 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    [[1], 'json: cannot unmarshal number into Go value of type jsonpatch.Operation'],
  ])('returns 400 for %j', (operations, message) => {
    expect(() => jsonPatch(live, operations)).toThrow(
      expect.objectContaining({ code: 400, reason: 'BadRequest', message }),
    );
  });

  it('returns 413 for too many operations', () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'add', path: '/data/a', value: '' }));
    expect(() => jsonPatch(live, operations)).toThrow(expect.objectContaining({ code: 413 }));
  });
});

describe('jsonMergePatch', () => {
  /* The cases of RFC 7386, appendix A, whose target and patch are objects. */
  it.each<[JsonObject, JsonObject, JsonObject]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('changes %j with the patch %j', (target, patch, result) => {
    expect(jsonMergePatch(target, patch)).toEqual(result);
  });

  it('refuses a patch that is not an object', () => {
    expect(() => jsonMergePatch(live, [])).toThrow(expect.objectContaining({ code: 400 }));
  });

  it('is idempotent, and does not change an object that is patched with itself', () => {
    const { tree } = fc.letrec<{ tree: JsonObject; node: Json }>((tie) => ({
      tree: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node')),
      node: fc.oneof({ depthSize: 'small' }, fc.constantFrom<Json>(null, 1, 'x', []), tie('tree')),
    }));
    fc.assert(
      fc.property(tree, tree, (target, patch) => {
        const once = jsonMergePatch(target, patch);
        expect(jsonMergePatch(once, patch)).toEqual(once);
        const settled = jsonMergePatch({}, target);
        expect(jsonMergePatch(settled, settled)).toEqual(settled);
      }),
    );
  });
});
