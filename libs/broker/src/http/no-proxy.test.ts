import { describe, expect, test } from '@jest/globals';
import { bypassesProxy } from './no-proxy.js';

describe('bypassesProxy', () => {
  test.each([
    ['https://github.com/', '', false],
    ['https://github.com/', '*', true],
    ['https://github.com/', 'github.com', true],
    ['https://api.github.com/', 'github.com', true],
    ['https://notgithub.com/', 'github.com', false],
    ['https://github.com/', '.github.com', false],
    ['https://api.github.com/', ' .GitHub.com , x', true],
    ['https://api.github.com/', '*.github.com', true],
    ['https://github.com:8443/', 'github.com:8443', true],
    ['https://github.com/', 'github.com:8443', false],
    ['https://github.com/', 'github.com:443', true],
    ['https://10.1.2.3/', '10.0.0.0/8', true],
    ['https://11.1.2.3/', '10.0.0.0/8', false],
    ['https://10.1.2.3/', '10.0.0.0/99', false],
    ['https://10.1.2.3/', '10.1.2.3', true],
    ['https://[fd00::1]/', 'fd00::/8', true],
    ['https://[fd00::1]/', 'fd00:0::0001', true],
    ['https://[fd00::1]/', '[fd00::1]', true],
    ['https://[fd00::1]/', '[FD00::1]:443', true],
    ['https://[fd00::1]/', '[fd00::1]:8443', false],
    ['https://[fd00::1]/', 'fd00::2', false],
    ['https://10.1.2.3/', '::ffff:10.1.2.4', false],
    ['http://localhost:80/', '', true],
    ['http://127.0.0.9/', '', true],
    ['https://[::1]/', '', true],
  ])('returns, for %s and the rules %j, %s', (url, rules, isDirect) => {
    expect(bypassesProxy(new URL(url), rules)).toBe(isDirect);
  });
});
