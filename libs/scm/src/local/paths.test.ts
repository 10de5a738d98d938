import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { git } from '../testing/git-user.js';
import { directoryOf, repositoryPath } from './paths.js';

let top = '';
let root = '';

/** Creates top/root/acme/web.git, which is allowed, and top/other/secret.git, which is not, with links to it inside the root. */
beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'local-paths-')));
  root = join(top, 'root');
  for (const path of ['root/acme/web.git', 'other/secret.git', 'root-beside/web.git']) {
    await git(['init', '--quiet', '--bare', join(top, path)]);
  }
  await mkdir(join(root, 'empty.git'));
  await mkdir(join(root, 'parts.git'));
  await symlink(join(top, 'other/secret.git'), join(root, 'linked.git'));
  await symlink(join(top, 'other'), join(root, 'folder'));
  await symlink(join(root, 'acme/web.git'), join(root, 'alias.git'));
  for (const part of ['HEAD', 'objects', 'refs']) {
    await symlink(join(top, 'other/secret.git', part), join(root, 'parts.git', part));
  }
});
afterAll(() => rm(top, { recursive: true, force: true }));

describe('the directory of a provider', () => {
  test('is an allowed directory, or is below one', () => {
    expect(directoryOf(root, [root])).toBe(root);
    expect(directoryOf(join(root, 'acme'), [root])).toBe(join(root, 'acme'));
  });

  test.each([
    ['another directory', () => join(top, 'other')],
    ['a directory whose name has the same beginning', () => `${root}-beside`],
    ['the parent of an allowed directory', () => top],
    ['a path with ..', () => `${root}/../other`],
    ['a link to the outside', () => join(root, 'folder')],
    ['a relative path', () => 'root'],
  ])('is not %s', (_what, path) => {
    expect(() => directoryOf(path(), [root])).toThrow(
      expect.objectContaining({ type: 'Permanent', reason: 'LocalNotAllowed' }),
    );
  });

  test('for a namespace is the folder with the name of the namespace, or is below it', () => {
    expect(directoryOf(join(root, 'acme'), [root], 'acme')).toBe(join(root, 'acme'));
    for (const path of [root, join(root, 'empty.git')]) {
      expect(() => directoryOf(path, [root], 'acme')).toThrow(/providers of namespace acme/);
    }
  });

  test('is refused if the process does not allow any directory', () => {
    expect(() => directoryOf(root, [])).toThrow(/--local-repositories/);
  });
});

describe('a repository', () => {
  test.each(['acme/web', 'acme/web.git', 'alias'])('is found by %s', (name) => {
    expect(repositoryPath(root, name)).toBe(join(root, 'acme/web.git'));
  });

  test.each([
    '../other/secret',
    'acme/../../other/secret',
    '/etc',
    '',
    '.',
    '..',
    'acme//web',
    '-x',
    'a/.git',
  ])('is never found by the name %j', (name) => {
    expect(() => repositoryPath(root, name)).toThrow(expect.objectContaining({ type: 'Invalid' }));
  });

  test.each([
    ['linked', 'points outside'],
    ['folder/secret', 'points outside'],
    ['parts', 'has parts outside'],
  ])('that is a link to the outside is refused: %s', (name, message) => {
    expect(() => repositoryPath(root, name)).toThrow(
      expect.objectContaining({ type: 'Invalid', message: expect.stringContaining(message) }),
    );
  });

  test.each(['absent', 'empty'])('that does not exist is NotFound: %s', (name) => {
    expect(() => repositoryPath(root, name)).toThrow(expect.objectContaining({ type: 'NotFound' }));
  });
});
