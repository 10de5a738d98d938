import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalDigest, canonicalJson, semanticEqual } from './canonical-json.js';

it.each([
  ['key order', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, true],
  ['absent members', { a: undefined, b: 1 }, { b: 1 }, true],
  ['nothing at all', undefined, undefined, true],
  ['one value and nothing', { a: 1 }, undefined, false],
  ['array order', { a: [1, 2] }, { a: [2, 1] }, false],
  ['keys inside arrays', { a: [{ x: 1, y: 2 }] }, { a: [{ y: 2, x: 1 }] }, true],
  ['a number and its text', { a: 1 }, { a: '1' }, false],
  ['null and absent', { a: null }, {}, false],
])('compares values that differ in %s', (_case, a, b, equal) => expect(semanticEqual(a, b)).toBe(equal));

it('agrees with a JSON round trip', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(semanticEqual(value, JSON.parse(JSON.stringify(value)))).toBe(true);
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it.each<[string, unknown, string]>([
  ['keys in the order of their code units', { b: 1, a: 2, 9: 3, 10: 4 }, '{"10":4,"9":3,"a":2,"b":1}'],
  ['no members that JSON does not have', { a: undefined, b: () => 1 }, '{}'],
  ['null for items that JSON does not have', [undefined, 1], '[null,1]'],
  ['null for undefined', undefined, 'null'],
  ['the result of toJSON', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  [
    'a key that has a special meaning for objects',
    JSON.parse('{"__proto__":{"a":1}}'),
    '{"__proto__":{"a":1}}',
  ],
])('writes %s', (_case, value, expected) => expect(canonicalJson(value)).toBe(expected));

it('gives equivalent values the same digest, the SHA-256 of their canonical JSON', () => {
  expect(canonicalDigest({ b: undefined, a: 1 })).toBe(
    '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862',
  );
  expect(canonicalDigest({ a: 1 })).toBe(canonicalDigest({ a: 1, b: undefined }));
});
