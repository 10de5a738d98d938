import { expect, it } from '@jest/globals';
import { isSameStatus } from './status-writer.js';

it.each<[string, object | undefined, object, boolean]>([
  ['an empty list that is absent after an apply', { a: { b: 1 } }, { a: { b: 1, items: [] } }, true],
  ['an empty list in an item of a list', { a: [{ b: 1 }] }, { a: [{ b: 1, items: [] }] }, true],
  ['a list that lost its items', { items: [{ name: 'a' }] }, { items: [] }, false],
  ['an empty item of a list', { a: [[]] }, { a: [] }, false],
  ['the first status', undefined, {}, false],
])('compares the status of an object with what would be written: %s', (_what, before, after, same) =>
  expect(isSameStatus(before, after)).toBe(same),
);
