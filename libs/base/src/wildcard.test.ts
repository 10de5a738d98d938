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
])('matches the pattern %j against the text %j: %s', (pattern, name, expected) => {
  expect(matchesWildcard(pattern, name)).toBe(expected);
});

test('searches a pattern with many stars in one pass', () => {
  expect(matchesWildcard(`${'*a'.repeat(40)}!`, 'a'.repeat(100_000))).toBe(false);
});
