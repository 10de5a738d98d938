import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { semanticEqual } from './canonical.js';

it.each([
  ['key order', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, true],
  ['absent members', { a: undefined, b: 1 }, { b: 1 }, true],
  ['nothing at all', undefined, undefined, true],
  ['something and nothing', { a: 1 }, undefined, false],
  ['array order', { a: [1, 2] }, { a: [2, 1] }, false],
  ['keys inside arrays', { a: [{ x: 1, y: 2 }] }, { a: [{ y: 2, x: 1 }] }, true],
  ['a number and its text', { a: 1 }, { a: '1' }, false],
  ['null and absent', { a: null }, {}, false],
])('%s', (_case, a, b, equal) => expect(semanticEqual(a, b)).toBe(equal));

it('agrees with a JSON round trip', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => semanticEqual(value, JSON.parse(JSON.stringify(value)))));
});
