import { describe, expect, it } from '@jest/globals';
import type { PatchOperation } from '../operation.js';
import { patchDocument } from './patch.js';

const patch = (text: string, ...operations: PatchOperation[]): string =>
  patchDocument('a.yaml', text, 0, operations);

describe('patchDocument', () => {
  it.each<[string, string, PatchOperation, string]>([
    ['a plain value', 'a: 1 # why\nb: 2\n', { op: 'replace', path: '/a', value: 3 }, 'a: 3 # why\nb: 2\n'],
    ['double quotes', 'a: "x"  # why\n', { op: 'replace', path: '/a', value: 'y' }, 'a: "y"  # why\n'],
    ['single quotes', "a:   'x'\n", { op: 'replace', path: '/a', value: 'y' }, "a:   'y'\n"],
    ['text that resembles a boolean', 'a: x\n', { op: 'replace', path: '/a', value: 'yes' }, 'a: "yes"\n'],
    ['an empty value', 'a:\nb: 1\n', { op: 'replace', path: '/a', value: 1 }, 'a: 1\nb: 1\n'],
    [
      'an empty value with a comment',
      'a: # c\nb: 1\n',
      { op: 'add', path: '/a', value: 1 },
      'a: 1 # c\nb: 1\n',
    ],
    ['block text', 'a: |\n  x\n  y\nb: 1\n', { op: 'replace', path: '/a', value: 'z' }, 'a: z\nb: 1\n'],
    [
      'block text replaced by other block text',
      'a: |\n  x\n\n# c\nb: 1\n',
      { op: 'replace', path: '/a', value: 'p\nq\n' },
      'a: |\n  p\n  q\n\n# c\nb: 1\n',
    ],
    [
      'a map replaced by a value',
      'a:\n  b: 1\n  # in\n  c: 2\n# out\nd: 1\n',
      { op: 'replace', path: '/a', value: 1 },
      'a: 1\n# out\nd: 1\n',
    ],
    [
      'a commented map replaced by a value',
      'a: # c\n  b: 1\nd: 1\n',
      { op: 'replace', path: '/a', value: 1 },
      'a: 1 # c\nd: 1\n',
    ],
    [
      'a map replaced by another map',
      'a:\n  b: 1\nd: 1\n',
      { op: 'replace', path: '/a', value: { x: [1, { w: 2, z: 3 }] } },
      'a:\n  x:\n  - 1\n  - w: 2\n    z: 3\nd: 1\n',
    ],
    [
      'a value replaced by a map',
      'a: 1\nd: 1\n',
      { op: 'replace', path: '/a', value: { x: 1 } },
      'a:\n  x: 1\nd: 1\n',
    ],
    [
      'a commented value replaced by a map',
      'a: 1 # c\n',
      { op: 'replace', path: '/a', value: { x: 1 } },
      'a: { x: 1 } # c\n',
    ],
    [
      'a key at the end',
      'a:\n  b: 1 # c\n  # d\ne: 1',
      { op: 'add', path: '/a/x', value: 2 },
      'a:\n  b: 1 # c\n  x: 2\n  # d\ne: 1',
    ],
    ['a key in a file without a final line break', 'a: 1', { op: 'add', path: '/b', value: 2 }, 'a: 1\nb: 2'],
    [
      'a key of an item',
      '- a: 1\n- b: 1\n',
      { op: 'add', path: '/0/x', value: { w: 1 } },
      '- a: 1\n  x:\n    w: 1\n- b: 1\n',
    ],
    ['a key of an empty map', 'a: {}\n', { op: 'add', path: '/a/b', value: 1 }, 'a:\n  b: 1\n'],
    [
      'a key in braces',
      'a: {b: 1, c: [1]}\n',
      { op: 'add', path: '/a/d', value: 'x y' },
      'a: {b: 1, c: [1], d: "x y"}\n',
    ],
    [
      'an item at the end',
      'a:\n  - 1\n  # c\nb: 1\n',
      { op: 'add', path: '/a/-', value: 'x' },
      'a:\n  - 1\n  - x\n  # c\nb: 1\n',
    ],
    [
      'an item at the start',
      'a:\n# first\n- x: 1\n',
      { op: 'add', path: '/a/0', value: { w: 1, z: 2 } },
      'a:\n# first\n- w: 1\n  z: 2\n- x: 1\n',
    ],
    [
      'an item between two others',
      'a:\n- 1\n# two\n- 2\n',
      { op: 'add', path: '/a/1', value: 9 },
      'a:\n- 1\n- 9\n# two\n- 2\n',
    ],
    ['an item in brackets', 'a: [x, y]\n', { op: 'add', path: '/a/1', value: 'z' }, 'a: [x, z, y]\n'],
    [
      'an item of an empty list',
      'a: []\nb: 1\n',
      { op: 'add', path: '/a/-', value: { b: 1 } },
      'a:\n- b: 1\nb: 1\n',
    ],
    [
      'a removed key',
      'a: 1\n# b\nb:\n  c: 1 # c\n# d\nd: 1\n',
      { op: 'remove', path: '/b' },
      'a: 1\n# b\n# d\nd: 1\n',
    ],
    [
      'a removed first key of an item',
      '- a: 1 # a\n  # b\n  b: 2\n',
      { op: 'remove', path: '/0/a' },
      '- # b\n  b: 2\n',
    ],
    ['a removed only key', 'a:\n  b: 1\nc: 1\n', { op: 'remove', path: '/a/b' }, 'a: {}\nc: 1\n'],
    ['a removed last item', 'a:\n  - 1\n  - 2\n', { op: 'remove', path: '/a/1' }, 'a:\n  - 1\n'],
    [
      'a removed item between block text that keeps its line breaks and a blank line',
      'a:\n  - |+\n    x\n\n  - y\n\nb: 1\n',
      { op: 'remove', path: '/a/1' },
      'a:\n  - |+\n    x\n\nb: 1\n',
    ],
    ['a removed only item', 'a: # c\n  - 1\nb: 1\n', { op: 'remove', path: '/a/0' }, 'a: [] # c\nb: 1\n'],
    [
      'a removed key in braces',
      'a: {b: 1, c: 2, d: 3}\n',
      { op: 'remove', path: '/a/d' },
      'a: {b: 1, c: 2}\n',
    ],
    [
      'a removed first key in braces',
      'a: {b: 1, c: 2, d: 3}\n',
      { op: 'remove', path: '/a/b' },
      'a: {c: 2, d: 3}\n',
    ],
    ['a moved key', 'a: 1\nb: 2\n', { op: 'move', from: '/a', path: '/c' }, 'b: 2\nc: 1\n'],
    ['a copied key', 'a: [1]\nb: 2\n', { op: 'copy', from: '/a', path: '/c' }, 'a: [1]\nb: 2\nc:\n- 1\n'],
    [
      'a key in a file with CRLF',
      'a: 1\r\nb:\r\n  c: 1\r\n',
      { op: 'add', path: '/b/d', value: { e: 'x\ny' } },
      'a: 1\r\nb:\r\n  c: 1\r\n  d:\r\n    e: |-\r\n      x\r\n      y\r\n',
    ],
    [
      'a removed key in a file with CRLF',
      'a: 1\r\nb: 2\r\nc: 3\r\n',
      { op: 'remove', path: '/b' },
      'a: 1\r\nc: 3\r\n',
    ],
    [
      'a removed key after a byte order mark',
      '\uFEFFa: 1\nb: 2\n',
      { op: 'remove', path: '/a' },
      '\uFEFFb: 2\n',
    ],
    [
      'an added key after a byte order mark',
      '\uFEFFa: 1\n',
      { op: 'add', path: '/b', value: 2 },
      '\uFEFFa: 1\nb: 2\n',
    ],
    [
      'a key next to a merge key',
      'x: &x {a: 1}\ny:\n  <<: *x\n  b: 1\n',
      { op: 'replace', path: '/y/a', value: 2 },
      'x: &x {a: 1}\ny:\n  <<: *x\n  b: 1\n  a: 2\n',
    ],
    ['an alias', 'x: &x 1\ny: *x\n', { op: 'replace', path: '/y', value: 2 }, 'x: &x 1\ny: 2\n'],
    [
      'a key inside an alias',
      'x: &x {a: 1, b: 1}\ny: *x # c\n',
      { op: 'replace', path: '/y/a', value: 2 },
      'x: &x {a: 1, b: 1}\ny: { a: 2, b: 1 } # c\n',
    ],
    ['an anchor without an alias', 'x: &x 1 # c\n', { op: 'replace', path: '/x', value: 2 }, 'x: &x 2 # c\n'],
    ['keys with slashes', 'a:\n  b/c: 1\n', { op: 'replace', path: '/a/b~1c', value: 2 }, 'a:\n  b/c: 2\n'],
    ['a number as text', 'a: x\n', { op: 'replace', path: '/a', value: '012' }, 'a: "012"\n'],
  ])('applies a patch: %s', (_, before, operation, after) => {
    expect(patch(before, operation)).toBe(after);
  });

  it('does nothing when the patch is already applied', () => {
    const text = 'a: [x]\nb: 1\n';
    expect(patch(text, { op: 'remove', path: '/c' })).toBe(text);
    expect(patch(text, { op: 'add', path: '/a/-', value: 'x' })).toBe(text);
    expect(patch(text, { op: 'test', path: '/b', value: 0 }, { op: 'replace', path: '/b', value: 1 })).toBe(
      text,
    );
  });

  it.each<[string, string, PatchOperation[], string]>([
    ['one value', 'x: &x 1\ny: *x # y\n', [{ op: 'replace', path: '/x', value: 2 }], 'x: &x 2\ny: 1 # y\n'],
    [
      'a key inside an anchor',
      'x: &x {a: 1, b: [c]}\ny:\n  <<: *x\nz: *x\n',
      [{ op: 'replace', path: '/x/a', value: 2 }],
      'x: &x {a: 2, b: [c]}\ny:\n  <<: { a: 1, b: [c] }\nz: { a: 1, b: [c] }\n',
    ],
    [
      'an anchor and its alias in the same way',
      'x: &x 1\nw: 1\ny: *x\n',
      [
        { op: 'replace', path: '/x', value: 2 },
        { op: 'replace', path: '/w', value: 3 },
        { op: 'replace', path: '/y', value: 2 },
      ],
      'x: &x 2\nw: 3\ny: *x\n',
    ],
    [
      'an anchor and one of its two aliases',
      'x: &x 1\ny: *x\nz: *x\n',
      [
        { op: 'replace', path: '/x', value: 2 },
        { op: 'replace', path: '/y', value: 2 },
      ],
      'x: &x 2\ny: 2\nz: 1\n',
    ],
  ])('changes %s, and no other target of an alias', (_, before, operations, after) => {
    expect(patch(before, ...operations)).toBe(after);
  });

  it('refuses more operations than a long file allows', () => {
    const operations = ['a', 'b', 'c'].map((key): PatchOperation => ({
      op: 'add',
      path: `/${key}`,
      value: 1,
    }));
    expect(() =>
      patch(
        `# ${'x'.repeat(4_000_000)}
z: 1
`,
        ...operations,
      ),
    ).toThrow(expect.objectContaining({ reason: 'EditNotPossible' }));
  });

  it('refuses to change the prototype of an object', () => {
    expect(() => patch('a: {"__proto__": 1}\n', { op: 'replace', path: '/a/__proto__', value: 2 })).toThrow(
      expect.objectContaining({ reason: 'PatchFailed' }),
    );
  });

  it('refuses a patch whose test fails, or whose pointer does not exist', () => {
    const failing = expect.objectContaining({ reason: 'PatchFailed' });
    expect(() =>
      patch('a: 1\n', { op: 'test', path: '/a', value: 2 }, { op: 'replace', path: '/a', value: 3 }),
    ).toThrow(failing);
    expect(() => patch('a: 1\n', { op: 'add', path: '/b/c', value: 2 })).toThrow(failing);
  });
});

describe('a JSON file', () => {
  it.each<[PatchOperation, string]>([
    [
      { op: 'add', path: '/b/y', value: { k: 't', l: [true] } },
      '{"a": 1, "b": {"x": "1", "y": { "k": "t", "l": [true] }}, "c": ["p"]}',
    ],
    [{ op: 'replace', path: '/a', value: 'text' }, '{"a": "text", "b": {"x": "1"}, "c": ["p"]}'],
    [{ op: 'add', path: '/d', value: 'q' }, '{"a": 1, "b": {"x": "1"}, "c": ["p"], "d": "q"}'],
    [{ op: 'add', path: '/c/0', value: 'q' }, '{"a": 1, "b": {"x": "1"}, "c": ["q", "p"]}'],
    [{ op: 'add', path: '/c/-', value: 'q' }, '{"a": 1, "b": {"x": "1"}, "c": ["p", "q"]}'],
    [{ op: 'remove', path: '/c' }, '{"a": 1, "b": {"x": "1"}}'],
    [{ op: 'remove', path: '/b/x' }, '{"a": 1, "b": {}, "c": ["p"]}'],
    [{ op: 'replace', path: '', value: { k: 't' } }, ' { "k": "t" }'],
  ])('stays JSON after %j', (operation, after) => {
    expect(patch('\uFEFF{"a": 1, "b": {"x": "1"}, "c": ["p"]}\n', operation)).toBe(`\uFEFF${after}\n`);
  });
});

describe('a hostile file', () => {
  it.each([
    ['blank lines in block text', `a: |\n  x${'\n'.repeat(300_000)}  y\nb: 1\n`],
    ['line separators', `a: 1${'\u2028'.repeat(300_000)}\nb: 1\n`],
    ['carriage returns', `a: "${'x\r'.repeat(300_000)}"\nb: 1\n`],
  ])('with many %s is edited in one pass', (_, text) => {
    expect(patch(text, { op: 'replace', path: '/a', value: 'z' })).toMatch(/^a: "?z"?\nb: 1\n$/);
  });
});
