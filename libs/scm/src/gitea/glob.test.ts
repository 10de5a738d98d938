import { expect, test } from '@jest/globals';
import { matchesGlob } from './glob.js';

test.each([
  ['exact', 'exact', true],
  ['exact', 'exactly', false],
  ['*', '', true],
  ['ci/*', 'ci/build', true],
  ['ci/*', 'ci', false],
  ['*/build', 'ci/build', true],
  ['ci/*/b*d*', 'ci/x/build', true],
  ['ci/*/b*d', 'ci/x/builder', false],
  ['ci/a*a', 'ci/a', false],
  ['ci/a*a', 'ci/aa', true],
  ['a.c', 'abc', false],
])('the context %j matches the name %j: %s', (pattern, name, expected) => {
  expect(matchesGlob(pattern, name)).toBe(expected);
});

test('a context of many stars is searched for in one pass', () => {
  expect(matchesGlob(`${'*a'.repeat(40)}!`, 'a'.repeat(100_000))).toBe(false);
});
