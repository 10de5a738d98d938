import { describe, expect, test } from '@jest/globals';
import { formatCheck } from './formats.js';
import { parseGoDuration } from './go-duration.js';

describe('formats', () => {
  test.each<[string, string[], string[]]>([
    ['uri', ['https://a.dev/x', '/path'], ['a', 'http://a b']],
    ['email', ['a@b.dev', 'A <a@b.dev>'], ['a', 'a@', '@b']],
    ['hostname', ['a', 'a.b.dev', '1x.dev'], ['-a', 'a..b', 'a_b']],
    ['ipv4', ['1.2.3.4'], ['1.2.3', '::1']],
    ['ipv6', ['::1'], ['1.2.3.4']],
    ['cidr', ['10.0.0.0/8', 'fd00::/8'], ['10.0.0.0', '10.0.0.0/40']],
    ['mac', ['00:1a:2b:3c:4d:5e', '00-1A-2B-3C-4D-5E'], ['00:1a:2b:3c:4d', '00:1a-2b:3c:4d:5e']],
    ['uuid', ['0f0e5f8e-5d2d-1c50-04d4-1c4b1e1b2a3c'], ['0f0e5f8e']],
    ['uuid4', ['0f0e5f8e-5d2d-4c50-a4d4-1c4b1e1b2a3c'], ['0f0e5f8e-5d2d-1c50-a4d4-1c4b1e1b2a3c']],
    ['isbn', ['0321751043', '978-0321751041'], ['0321751044']],
    ['creditcard', ['4111 1111 1111 1111'], ['4111 1111 1111 1112']],
    ['ssn', ['111-22-3333'], ['11-22-3333']],
    ['hexcolor', ['#fff', 'a1b2c3'], ['#ffff']],
    ['rgbcolor', ['rgb(1,2,255)'], ['rgb(1,2,256)']],
    ['byte', ['YWI='], ['YWI', '%']],
    ['date', ['2026-02-28'], ['2026-02-29', '26-01-01']],
    [
      'date-time',
      ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.123+02:00'],
      ['2026-01-01', '2026-01-01T24:00:00Z'],
    ],
    ['duration', ['1h30m', '-1.5s', '2 days', '0'], ['1', 'x']],
    ['k8s-short-name', ['a-b'], ['A', 'a.b']],
    ['k8s-long-name', ['a-b.c'], ['A', '.a']],
  ])('check values of the format %s', (format, good, bad) => {
    const check = formatCheck(format);
    expect(good.filter((text) => check?.(text) !== true)).toEqual([]);
    expect(bad.filter((text) => check?.(text) !== false)).toEqual([]);
  });

  test.each(['int32', 'int64', 'double', 'constructor', 'anything'])(
    'do not check values of the format %s',
    (format) => {
      expect(formatCheck(format)).toBeUndefined();
    },
  );
});

test.each<[string, bigint | undefined]>([
  ['1h1m1s', 3661_000_000_000n],
  ['1.5ms', 1_500_000n],
  ['-2us', -2000n],
  ['.5s', 500_000_000n],
  ['0', 0n],
  ['', undefined],
  ['1', undefined],
  ['1d', undefined],
  ['9999999999h', undefined],
])('parseGoDuration parses %p, or returns undefined', (text, nanoseconds) => {
  expect(parseGoDuration(text)).toBe(nanoseconds);
});
