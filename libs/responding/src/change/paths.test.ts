import { describe, expect, it } from '@jest/globals';
import { isProblem } from '@interlock/base';
import fc from 'fast-check';
import { normalisePath, resolvePath } from './paths.js';

describe('normalizePath', () => {
  it.each(['a', '.gitignore', 'a/.github/x', 'a..b/c...', 'ü/ name'])('accepts %j unchanged', (path) => {
    expect(normalisePath(path)).toBe(path);
  });

  it('removes segments that are empty or a dot', () => {
    expect(normalisePath('./a/./b//c')).toBe('a/b/c');
  });

  it.each([
    '',
    '.',
    'a/',
    '/',
    '/etc/passwd',
    '..',
    '../a',
    'a/../b',
    'a/..',
    'a\\b',
    '..\\a',
    'C:/a',
    'c:a',
    './C:/a',
    'a\0b',
    'a\nb',
    '.git/config',
    'a/.git/hooks/x',
    '.GIT/config',
    '.git',
    '.Git /x',
    '.git./x',
    'GIT~1/x',
    '.g\u200Cit/x',
    '.git::$INDEX_ALLOCATION/x',
    '\uD800',
    'x'.repeat(256),
    'a/'.repeat(600) + 'b',
  ])('refuses %j', (path) => {
    expect(normalisePath(path)).toMatchObject({ reason: 'InvalidPath', message: expect.any(String) });
  });

  it('returns relative paths without special segments, and does not change such paths', () => {
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', '.git', 'a', '/', '\\', '.GIT'),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const result = normalisePath(parts.join('/'));
        if (isProblem(result)) return;
        const segments = result.split('/');
        expect(segments.some((segment) => ['', '.', '..'].includes(segment))).toBe(false);
        expect(segments.some((segment) => segment.toLowerCase() === '.git')).toBe(false);
        expect(normalisePath(result)).toEqual(result);
      }),
    );
  });
});

describe('resolvePath', () => {
  it.each([
    ['a/b', '../c.yaml', 'a/c.yaml'],
    ['', './c.yaml', 'c.yaml'],
    ['a', '../../c', undefined],
    ['a', '/c', undefined],
    ['a', 'https://x/y', undefined],
  ])('resolves, in the folder %j, the path %j to %j', (folder, path, expected) => {
    expect(resolvePath(folder, path)).toBe(expected);
  });
});
