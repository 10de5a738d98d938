import { describe, expect, it } from '@jest/globals';
import { parseYaml, valueOf } from './source.js';

const count = 20_000;
const repeated = (line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('');
const read = (text: string) => parseYaml('x.yaml', text).documents.map((one) => valueOf('x.yaml', one));

describe('foreign YAML', () => {
  it.each([
    ['a repeated key', 'a: 1\nb: 2\na: 3\n', 'line 3, column 1: Map keys must be unique'],
    ['a repeated key in a flow map', 'x: {a: 1, a: 2}\n', 'line 1, column 11: Map keys must be unique'],
    [
      'a repeated key in a nested map',
      'a:\n  - b:\n      c: 1\n      "c": 2\n',
      'line 4, column 7: Map keys must be unique',
    ],
    ['a list as a key', '? [a, b]\n: 1\n', 'a key of a map must not be a map or a list'],
    ['an alias of a map as a key', 'a: &a {b: 1}\n*a : 2\n', 'a key of a map must not be a map or a list'],
    ['deep nesting', `${'['.repeat(600)}${']'.repeat(600)}`, 'it is nested deeper than 500 levels'],
    ['nested keys', `${'? '.repeat(400)}a\n`, 'a key of a map must not be a map or a list'],
    ['many aliases', `a: &a 1\nb:\n${'- *a\n'.repeat(1001)}`, 'it has more than 1000 aliases'],
    ['many anchors', repeated((index) => `- &a${index} 1\n`), 'it has more than 10000 anchors'],
    [
      'a large map merged many times',
      `a: &a {${repeated((index) => `k${index}: 1, `)}}\n${Array.from({ length: 900 }, (_, index) => `b${index}: {<<: *a}\n`).join('')}`,
      'it has more than 1000000 values after its aliases are resolved',
    ],
    [
      'a large map in nested merge keys, each of which copies it',
      `${'{<<: '.repeat(60)}{${repeated((index) => `k${index}: 1, `)}}${'}'.repeat(60)}`,
      'it has more than 1000000 values after its aliases are resolved',
    ],
  ])('is refused with %s', (_, text, message) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ type: 'Invalid', reason: 'YamlInvalid' }));
    expect(() => read(text)).toThrow(message);
  });

  it.each([
    ['equal keys of different maps', 'a: {x: 1}\nb: {x: 1}\n', { a: { x: 1 }, b: { x: 1 } }],
    ['keys of different types', '1: a\n"1": b\n', { 1: 'b' }],
    ['several merge keys', 'a: &a {x: 1}\nb: &b {y: 2}\nc:\n  <<: *a\n  <<: *b\n', undefined],
    ['an alias of a scalar as a key', 'a: &a k\n*a : 2\n', { a: 'k', k: 2 }],
    ['an ordered map', '!!omap\n- b: 1\n- a: 2\n', [{ b: 1 }, { a: 2 }]],
    [
      'keys that are names of the object prototype',
      'constructor: 1\ntoString: 2\n',
      { constructor: 1, toString: 2 },
    ],
  ])('is read with %s', (_, text, expected) => {
    const [value] = read(text);
    if (expected !== undefined) expect(value).toEqual(expected);
  });

  it.each([
    ['a block map', repeated((index) => `k${index}: 1\n`)],
    ['a flow map', `{${repeated((index) => `k${index}: 1, `)}}`],
    ['an ordered map', `!!omap\n${repeated((index) => `- k${index}: 1\n`)}`],
  ])('is read with many keys in %s', (_, text) => {
    expect(Object.keys(read(text)[0] ?? {})).toHaveLength(count);
  });
});
