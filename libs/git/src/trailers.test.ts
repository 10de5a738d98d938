import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatTrailers, parseTrailers, withTrailers } from './trailers.js';

const key = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,20}$/);

describe('formatTrailers', () => {
  test('writes plain values unchanged, and other values as JSON', () => {
    expect(
      formatTrailers({ 'Sha-dry-proposed': 'abc', Url: ['u1', 'u2'], Text: 'two\nlines', Quoted: '"x' }),
    ).toBe('Sha-dry-proposed: abc\nUrl: u1\nUrl: u2\nText: "two\\nlines"\nQuoted: "\\"x"');
  });

  test.each(['a b', 'a:b', '', 'é', 'a\nb'])('refuses the key %j', (bad) => {
    expect(() => formatTrailers({ [bad]: 'x' })).toThrow(
      expect.objectContaining({ type: 'Invalid', reason: 'TrailerInvalid' }),
    );
  });

  test('writes any values so that parseTrailers reads the same values', () => {
    const value = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a\nb', ' x ', '"', '', '\u2028', 'a: b'),
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(key, fc.array(value, { minLength: 1, maxLength: 3 })), {
          selector: ([k]) => k.toLowerCase(),
          minLength: 1,
        }),
        (entries) => {
          const trailers = Object.fromEntries(entries);
          fc.pre(!Object.hasOwn(trailers, '__proto__'));
          expect(parseTrailers(withTrailers('Subject\n\nBody.', trailers))).toEqual(trailers);
        },
      ),
    );
  });
});

describe('parseTrailers', () => {
  test.each([
    ['a message without trailers', 'Subject', {}],
    ['a subject that resembles a trailer', 'Key: value', {}],
    ['a paragraph with other text', 'S\n\nKey: value\nand prose', {}],
    [
      'a paragraph with other text and a line that git wrote',
      'S\n\nKey: value\nand prose\nSigned-off-by: A <a@b>',
      { Key: ['value'], 'Signed-off-by': ['A <a@b>'] },
    ],
    ['a folded value', 'S\n\nKey: one\n  two\nOther: x', { Key: ['one two'], Other: ['x'] }],
    ['a key in two spellings', 'S\n\nkey: 1\nKEY: 2', { key: ['1', '2'] }],
    ['an empty value', 'S\n\nKey:', { Key: [''] }],
    ['a broken JSON string', 'S\n\nKey: "abc', { Key: ['"abc'] }],
    ['trailers in an earlier paragraph', 'S\n\nKey: value\n\nProse.', {}],
  ])('parses %s', (_, message, expected) => {
    expect(parseTrailers(message)).toEqual(expected);
  });

  test.each(Object.getOwnPropertyNames(Object.prototype).filter((name) => !name.includes('_')))(
    'reads a trailer whose key is %s, a name that every object has',
    (name) => {
      expect({ ...parseTrailers(`Subject\n\n${name}: x\n${name}: y`) }).toEqual({ [name]: ['x', 'y'] });
      expect(parseTrailers('Subject')[name]).toBeUndefined();
    },
  );

  test('agrees with git interpret-trailers', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '',
        'prose',
        'Key: value',
        'Key : v',
        'key:v',
        ' folded',
        'Signed-off-by: A <a@b>',
        '(cherry picked from commit 1)',
        'Two words: x',
        ': x',
        'https://x',
      ),
      fc.tuple(key, fc.stringMatching(/^[a-z ]{0,8}$/)).map(([k, v]) => `${k}: ${v}`),
    );
    const messages = fc.sample(
      fc.array(line, { maxLength: 9 }).map((lines) => ['Subject', ...lines].join('\n')),
      { numRuns: 150, seed: 7 },
    );
    for (const message of messages) {
      const said = execFileSync('git', ['interpret-trailers', '--parse', '--no-divider'], {
        input: `${message}\n`,
        encoding: 'utf8',
      });
      const expected = said
        .split('\n')
        .filter((text) => text !== '')
        .map((text) =>
          text
            .replace(/^(.*?):\s*/, '$1: ')
            .trim()
            .toLowerCase(),
        );
      const own = Object.entries(parseTrailers(message)).flatMap(([k, values]) =>
        values.map((v) => `${k}: ${v}`.trim().toLowerCase()),
      );
      expect({ message, trailers: own.sort() }).toEqual({ message, trailers: expected.sort() });
    }
  });
});
