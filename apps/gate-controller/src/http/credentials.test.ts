import { expect, test } from '@jest/globals';
import { tokenOf } from './credentials.js';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

test.each([
  [undefined, undefined],
  ['', undefined],
  ['Bearer', undefined],
  ['Bearer abc', 'abc'],
  ['bearer   abc  ', 'abc'],
  ['Token abc', undefined],
  [basic('user:secret'), 'secret'],
  [basic(':secret'), 'secret'],
  [basic('user:se:cret'), 'se:cret'],
  [basic('user:'), undefined],
  [basic('secret'), undefined],
  [`Bearer ${'x'.repeat(8 * 1024)}`, 'x'.repeat(8 * 1024)],
  [`Bearer ${'x'.repeat(8 * 1024 + 1)}`, undefined],
])('returns the token of a header, if the header contains one: %#', (header, token) => {
  expect(tokenOf(header)).toBe(token);
});
