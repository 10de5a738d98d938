import { expect, test } from '@jest/globals';
import { matchesWildcard } from './wildcard.js';

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
])('the pattern %j matches the text %j: %s', (pattern, name, expected) => {
  expect(matchesWildcard(pattern, name)).toBe(expected);
});

test('a pattern of many stars is searched in one pass', () => {
  expect(matchesWildcard(`${'*a'.repeat(40)}!`, 'a'.repeat(100_000))).toBe(false);
});
