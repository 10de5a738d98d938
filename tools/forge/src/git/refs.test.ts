import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { closeAll, commit, git, temporaryFolder } from '../testing/forge.js';
import { readRefs, writeOwnRef } from './refs.js';

afterEach(closeAll);

/** Returns a bare repository and two commits in it, of which `main` is the second. */
async function repository(): Promise<{ path: string; one: string; two: string }> {
  const folder = await temporaryFolder();
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  const one = await commit(folder, { 'a.txt': 'one\n' });
  const two = await commit(folder, { 'a.txt': 'two\n' });
  return { path: join(folder, '.git'), one, two };
}

async function refsByGit(path: string): Promise<Map<string, string>> {
  const lines = (await git(path, 'for-each-ref', '--format=%(refname) %(objectname)')).split('\n');
  return new Map(lines.map((line) => line.split(' ') as [string, string]));
}

test('returns the same references as git: loose, packed, updated later, annotated, symbolic', async () => {
  const { path, one, two } = await repository();
  await git(path, 'branch', 'environments/dev', one);
  await git(path, 'tag', '--annotate', '--message=v1', 'v1', one);
  await git(path, 'pack-refs', '--all');
  expect(readRefs(path)).toEqual(await refsByGit(path));
  await git(path, 'update-ref', 'refs/heads/environments/dev', two);
  await git(path, 'update-ref', 'refs/notes/x', one);
  await git(path, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/heads/main');
  await git(path, 'symbolic-ref', 'refs/remotes/origin/none', 'refs/heads/none');
  const refs = readRefs(path);
  expect(refs).toEqual(await refsByGit(path));
  expect(refs.get('refs/heads/environments/dev')).toBe(two);
  expect(refs.size).toBe(5);
});

test('ignores files that git has not written completely', async () => {
  const { path, two } = await repository();
  await writeFile(join(path, 'refs/heads/main.lock'), '');
  await writeFile(join(path, 'refs/heads/empty'), '');
  expect(readRefs(path)).toEqual(new Map([['refs/heads/main', two]]));
});

test('returns no references in an empty repository', async () => {
  const path = await temporaryFolder();
  await git(path, 'init', '--quiet', '--bare');
  expect(readRefs(path)).toEqual(new Map());
});

test('a reference of the forge is visible to git, and the last of several concurrent writes takes effect', async () => {
  const { path, one, two } = await repository();
  await writeOwnRef(path, 'refs/pull/1/head', one);
  await Promise.all(Array.from({ length: 5 }, () => writeOwnRef(path, 'refs/pull/1/head', two)));
  expect((await refsByGit(path)).get('refs/pull/1/head')).toBe(two);
  expect(readRefs(path)).toEqual(await refsByGit(path));
});
