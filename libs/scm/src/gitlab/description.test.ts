import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fromGitlab, toGitlab } from './description.js';

test.each([
  ['/merge', '\\/merge'],
  ['one\n  /close\r\n/label ~x', 'one\n  \\/close\r\n\\/label ~x'],
  ['a / b', 'a / b'],
  ['https://example.com', 'https://example.com'],
  ['\\/merge', '\\\\/merge'],
])('sends %j as %j', (text, sent) => {
  expect(toGitlab(text)).toBe(sent);
});

const text = fc
  .array(fc.constantFrom('/', '\\', ' ', '\t', '\n', '\r\n', '\u2028', 'merge', 'x'))
  .map((parts) => parts.join(''));

test('sends no line that begins with a slash, and restores the original', () => {
  fc.assert(
    fc.property(text, (original) => {
      expect(toGitlab(original)).not.toMatch(/^[^\S\r\n]*\//m);
      expect(fromGitlab(toGitlab(original))).toBe(original);
    }),
  );
});

test.each(['\u2028', ' ', '\\', '\n'])('reads many repetitions of %j in one pass', (unit) => {
  const original = `${unit.repeat(300_000)}x`;
  expect(fromGitlab(toGitlab(original))).toBe(original);
});
