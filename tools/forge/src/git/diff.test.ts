import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { closeAll, commit, git, temporaryFolder } from '../testing/forge.js';
import { BareRepository } from './bare-repository.js';

afterEach(closeAll);

const long = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');

test('returns the same result as git for all names of files', async () => {
  const folder = await temporaryFolder();
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  const before = await commit(folder, {
    'changed.txt': 'one\ntwo\n',
    'gone.txt': 'x\n',
    'old name.txt': long,
    'mode.sh': 'x\n',
    'binary.bin': '\0one',
  });
  await rm(join(folder, 'gone.txt'));
  await rm(join(folder, 'old name.txt'));
  await chmod(join(folder, 'mode.sh'), 0o755);
  const after = await commit(folder, {
    'changed.txt': 'one\nthree\ndiff --git a/x b/x\n',
    'new/ä "quoted"\tname.txt': `${long}more\n`,
    'added.txt': 'no line break',
    'binary.bin': '\0two',
  });
  const repository = new BareRepository(folder);
  const changes = await repository.patches(before, after);
  const blob = (revision: string): Promise<string> => git(folder, 'rev-parse', revision);
  expect(changes).toEqual([
    {
      status: 'added',
      path: 'added.txt',
      sha: await blob('HEAD:added.txt'),
      additions: 1,
      deletions: 0,
      binary: false,
      patch: '@@ -0,0 +1 @@\n+no line break\n\\ No newline at end of file',
    },
    {
      status: 'modified',
      path: 'binary.bin',
      sha: await blob('HEAD:binary.bin'),
      additions: 0,
      deletions: 0,
      binary: true,
    },
    {
      status: 'modified',
      path: 'changed.txt',
      sha: await blob('HEAD:changed.txt'),
      additions: 2,
      deletions: 1,
      binary: false,
      patch: '@@ -1,2 +1,3 @@\n one\n-two\n+three\n+diff --git a/x b/x',
    },
    {
      status: 'removed',
      path: 'gone.txt',
      sha: await blob('HEAD^:gone.txt'),
      additions: 0,
      deletions: 1,
      binary: false,
      patch: '@@ -1 +0,0 @@\n-x',
    },
    {
      status: 'modified',
      path: 'mode.sh',
      sha: await blob('HEAD:mode.sh'),
      additions: 0,
      deletions: 0,
      binary: false,
    },
    {
      status: 'renamed',
      path: 'new/ä "quoted"\tname.txt',
      previousPath: 'old name.txt',
      sha: await blob('HEAD:new/ä "quoted"\tname.txt'),
      additions: 1,
      deletions: 0,
      binary: false,
      patch: expect.stringContaining('+more'),
    },
  ]);
  expect(await repository.changes(after, after)).toEqual([]);
});
