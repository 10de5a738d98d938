import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { readFile, type RepositoryContents, type TreeEntry } from '../contents.js';
import { manyCallsMs, type WrittenFile } from './contract-fixture.js';
import { git } from './git-user.js';
import type { Current } from './contract-fixture.js';

/** Not UTF-8, with zeros and a line break. */
export const binary = Buffer.from([0x89, 0x50, 0x0d, 0x0a, 0x1a, 0x00, 0xff, 0xfe, 0x0a]);
/** Line endings of two kinds, a tab, and no newline at the end. */
export const mixed = Buffer.from('a: 1\r\nb: "größe"\n\tc: 💡');

const submodule = 'c'.repeat(40);
const spaced = 'deploy/with space/größe 💡 #1%.yaml';
const written: readonly WrittenFile[] = [
  { path: 'README.md', content: 'one\n' },
  { path: 'bin/run.sh', content: '#!/bin/sh\n', mode: '100755' },
  { path: 'deploy-other/x.yaml', content: 'x: 1\n' },
  { path: 'deploy/base/app.yaml', content: mixed },
  { path: 'deploy/base/image.bin', content: binary },
  { path: 'deploy/base.yaml', content: '' },
  { path: 'deploy/link', content: 'base', mode: '120000' },
  { path: 'deploy/link.yaml', content: 'base/app.yaml', mode: '120000' },
  { path: spaced, content: 'x: 2\n' },
  { path: 'vendor/lib', content: submodule, mode: '160000' },
];
const branch = 'env/dev';
const max = 1_000;

/** Returns the contents interface of the plugin. */
export function contentsOf(current: Current): RepositoryContents {
  const { contents } = current().repository;
  if (contents === undefined) throw new Error('the plugin has no contents');
  return contents;
}

/** Returns the id that git gives a file. */
export function blobId(content: string | Buffer): string {
  const bytes = Buffer.from(content);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Returns the files of the tests, as entries by path; without the submodule. */
function expected(): Map<string, TreeEntry> {
  const types = { '100644': 'file', '100755': 'executable', '120000': 'symlink' } as const;
  return new Map(
    written.flatMap(({ path, content, mode = '100644' }) =>
      mode === '160000' ? [] : [[path, { path, type: types[mode], sha: blobId(content) }] as const],
    ),
  );
}

function byPath(entries: readonly TreeEntry[] | undefined): Map<string, TreeEntry> | undefined {
  return entries && new Map(entries.map((entry) => [entry.path, entry]));
}

export function contentCases(current: Current): void {
  test('returns the tip of a branch with its message and parents', async () => {
    const { clock, path } = current();
    const sha = await current().commit(branch);
    const main = await git(['-C', path, 'rev-parse', 'refs/heads/main']);
    const contents = contentsOf(current);
    const tip = await clock.run(contents.branchTip(branch));
    expect(tip).toEqual({ sha, message: expect.stringMatching(/^Write file-\d+$/), parents: [main] });
    expect(await clock.run(contents.branchTip('main'))).toMatchObject({ sha: main, parents: [] });
    for (const other of ['env', 'dev', 'env/dev-next', 'env/dev/x', 'absent']) {
      expect(await clock.run(contents.branchTip(other))).toBeUndefined();
    }
  });

  test('lists the direct entries of a folder', async () => {
    const { clock } = current();
    const commit = await current().write(branch, written);
    const contents = contentsOf(current);
    const list = async (folder: string) => byPath(await clock.run(contents.listFolder(commit, folder)));
    const types = async (folder: string) =>
      new Map([...((await list(folder)) ?? [])].map(([path, { type }]) => [path, type]));
    expect((await types('')).get('README.md')).toBe('file');
    expect((await types('')).get('deploy')).toBe('folder');
    expect(await types('bin')).toEqual(new Map([['bin/run.sh', 'executable']]));
    expect(await list('vendor')).toEqual(
      new Map([['vendor/lib', { path: 'vendor/lib', type: 'submodule', sha: submodule }]]),
    );
    expect(await types('deploy')).toEqual(
      new Map([
        ['deploy/base', 'folder'],
        ['deploy/base.yaml', 'file'],
        ['deploy/link', 'symlink'],
        ['deploy/link.yaml', 'symlink'],
        ['deploy/with space', 'folder'],
      ]),
    );
    expect((await list('deploy/with space'))?.get(spaced)).toEqual(expected().get(spaced));
    for (const none of ['absent', 'deploy/absent', 'README.md', 'README.md/x', 'deploy/link', 'vendor/lib']) {
      expect(await list(none)).toBeUndefined();
    }
  });

  test('lists all files below a folder in sorted order', async () => {
    const { clock } = current();
    const commit = await current().write(branch, written);
    const contents = contentsOf(current);
    const below = [...expected().values()].filter(({ path }) => path.startsWith('deploy/'));
    const sorted = below.sort((a, b) => (a.path < b.path ? -1 : 1));
    expect(await clock.run(contents.listFiles(commit, 'deploy'))).toEqual(sorted);
    const all = await clock.run(contents.listFiles(commit, ''));
    const own = all.filter(({ path }) => !path.startsWith('file-'));
    expect(own.map(({ path }) => path)).toEqual([...expected().keys()].sort());
    for (const none of ['absent', 'deploy/absent', 'dep']) {
      expect(await clock.run(contents.listFiles(commit, none))).toEqual([]);
    }
  });

  test(
    'lists all entries of a folder that do not fit on one page',
    async () => {
      const { clock } = current();
      const paths = Array.from({ length: 230 }, (_, index) => `many/${String(index).padStart(3, '0')}.yaml`);
      const commit = await current().write(
        branch,
        paths.map((path) => ({ path, content: path })),
      );
      const contents = contentsOf(current);
      const right = (await clock.run(contents.listFolder(commit, 'many'))) ?? [];
      expect(right.map(({ path }) => path).sort()).toEqual(paths);
      const below = await clock.run(contents.listFiles(commit, 'many'));
      expect(below.map(({ path }) => path)).toEqual(paths);
    },
    manyCallsMs,
  );

  test('reads the content of a commit, whatever its branch is', async () => {
    const { clock } = current();
    const before = await current().write(branch, [{ path: 'a.yaml', content: 'a' }]);
    await current().write(branch, [{ path: 'a.yaml', content: 'b' }]);
    const read = await clock.run(readFile(contentsOf(current), before, 'a.yaml', max));
    expect(read?.contents).toEqual(Buffer.from('a'));
  });

  describe('a file', () => {
    test.each([
      ['binary', binary],
      ['with mixed line ends', mixed],
      ['empty', Buffer.alloc(0)],
    ])('that is %s is read byte for byte, up to the limit', async (_, bytes) => {
      const { clock } = current();
      await current().write(branch, [{ path: 'a', content: bytes }]);
      const read = (limit: number) => clock.run(contentsOf(current).readBlob(blobId(bytes), limit));
      expect(await read(bytes.length)).toEqual(bytes);
      if (bytes.length === 0) return;
      await expect(read(bytes.length - 1)).rejects.toMatchObject({ type: 'Invalid', reason: 'TooLarge' });
    });

    test('that does not exist is NotFound', async () => {
      const read = contentsOf(current).readBlob('e'.repeat(40), max);
      await expect(current().clock.run(read)).rejects.toMatchObject({ type: 'NotFound' });
    });

    test('is read by its path, without following links', async () => {
      const { clock } = current();
      const commit = await current().write(branch, written);
      const read = (path: string, limit = max) =>
        clock.run(readFile(contentsOf(current), commit, path, limit));
      const path = 'deploy/base/app.yaml';
      expect(await read(path)).toEqual({ entry: expected().get(path), contents: mixed });
      expect((await read('bin/run.sh'))?.entry.type).toBe('executable');
      expect((await read(spaced))?.contents).toEqual(Buffer.from('x: 2\n'));
      for (const none of ['absent', 'deploy/base/absent', 'absent/app.yaml', 'README.md/app.yaml']) {
        expect(await read(none)).toBeUndefined();
      }
      const refusals = {
        'deploy/link.yaml': 'SymbolicLink',
        'deploy/link/app.yaml': 'SymbolicLink',
        deploy: 'NotAFile',
        'vendor/lib': 'NotAFile',
        'vendor/lib/a.yaml': 'NotAFile',
      };
      for (const [refused, reason] of Object.entries(refusals)) {
        await expect(read(refused)).rejects.toMatchObject({ type: 'Invalid', reason });
      }
      await expect(read(path, 3)).rejects.toMatchObject({ type: 'Invalid', reason: 'TooLarge' });
    });
  });

  test('rejects an aborted read with the reason of its signal', async () => {
    const commit = await current().commit(branch);
    const contents = contentsOf(current);
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(contents.branchTip(branch, { signal })).rejects.toThrow('stop');
    await expect(contents.listFolder(commit, '', { signal })).rejects.toThrow('stop');
    await expect(contents.listFiles(commit, '', { signal })).rejects.toThrow('stop');
    await expect(contents.readBlob(blobId(''), 1, { signal })).rejects.toThrow('stop');
  });
}
