import { expect, test } from '@jest/globals';
import { formatAddress, parseBindAddress } from './address.js';

test.each([
  [':8080', { host: undefined, port: 8080 }],
  ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ['[::1]:8443', { host: '::1', port: 8443 }],
  ['localhost:65535', { host: 'localhost', port: 65_535 }],
  ['0', undefined],
])('parses the address %j', (text, address) => {
  expect(parseBindAddress(text)).toEqual(address);
});

test.each([
  '',
  '8080',
  'localhost',
  'localhost:',
  ':65536',
  '::1:80',
  '[::1]',
  'a b:80',
  ':-1',
  'http://x:80',
])('refuses the address %j', (text) => {
  expect(() => parseBindAddress(text)).toThrow(
    'write host:port, :port for all addresses, or 0 to disable it',
  );
});

test.each([
  ['::1', 80, '[::1]:80'],
  ['127.0.0.1', 80, '127.0.0.1:80'],
  ['', 80, ':80'],
])('formats the address %j with port %i', (host, port, text) => {
  expect(formatAddress(host, port)).toBe(text);
});
