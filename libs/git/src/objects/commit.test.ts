import { describe, expect, test } from '@jest/globals';
import { parseCommit } from './commit.js';

const sha = 'a'.repeat(40);
/* Quadratic work would not finish. */
const long = 500_000;

function parse({
  author = 'Ada <ada@example.com> 1700000000 +0100',
  message = 'text',
}): ReturnType<typeof parseCommit> {
  const headers = [`tree ${sha}`, `author ${author}`, `committer ${author}`];
  return parseCommit(sha, Buffer.from(`${headers.join('\n')}\n\n${message}`));
}

describe('an identity', () => {
  test.each([
    ['Ada <a@b> 1700000000 +0100', { name: 'Ada', email: 'a@b', date: '2023-11-14T22:13:20Z' }],
    ['Ada <a@b>', { name: 'Ada', email: 'a@b', date: '1970-01-01T00:00:00Z' }],
    ['<> 0 +0000', { name: '', email: '', date: '1970-01-01T00:00:00Z' }],
    [
      'Ada  Lovelace  <a <b> 60 +0000',
      { name: 'Ada  Lovelace ', email: 'a <b', date: '1970-01-01T00:01:00Z' },
    ],
    ['Ada <a@b> -60 -0100', { name: 'Ada', email: 'a@b', date: '1969-12-31T23:59:00Z' }],
    [`Ada <a@b> ${'9'.repeat(30)} +0000`, { name: 'Ada', email: 'a@b', date: '1970-01-01T00:00:00Z' }],
    ['Ada <a@b> 253402300799 +0000', { name: 'Ada', email: 'a@b', date: '9999-12-31T23:59:59Z' }],
    // RFC 3339 has years of four digits.
    ['Ada <a@b> 253402300800 +0000', { name: 'Ada', email: 'a@b', date: '1970-01-01T00:00:00Z' }],
    ['Ada <a@b> -62167219201 +0000', { name: 'Ada', email: 'a@b', date: '1970-01-01T00:00:00Z' }],
    ['Ada', { name: '', email: '', date: '1970-01-01T00:00:00Z' }],
    ['Ada <a@b', { name: '', email: '', date: '1970-01-01T00:00:00Z' }],
  ])('is read from %j', (author, expected) => {
    expect(parse({ author }).author).toEqual(expected);
  });

  test.each(['<', '< ', ' <', '>', ' ', '9'])('of many repetitions of %j is read in one pass', (unit) => {
    expect(parse({ author: unit.repeat(long) }).author.date).toBe('1970-01-01T00:00:00Z');
    expect(parse({ author: `A <a> ${unit.repeat(long)}` }).author.name).toBe('A');
  });
});

test.each([' ', '\n', ' \n', '\n ', 'k:', 'k: v\n', '\n\nk: v', '\r', '\u2028'])(
  'reads a message of many repetitions of %j in one pass',
  (unit) => {
    expect(parse({ message: `Subject\n\n${unit.repeat(long)}` }).subject).toBe('Subject');
    expect(parse({ message: `${unit.repeat(long)}x` }).sha).toBe(sha);
  },
);

test('reads a trailer whose name is a member of every object', () => {
  const { trailers, subject } = parse({ message: 'Subject\n\nconstructor: x\ntoString: y' });
  expect({ subject, ...trailers }).toEqual({ subject: 'Subject', constructor: ['x'], toString: ['y'] });
});
