import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeAll, commit, git, temporaryFolder } from '../testing/forge.js';
import { BareRepository } from './bare-repository.js';
import { commitObject, parseCommitObject, type NewCommit } from './commit-object.js';
import { hasLooseObject, readLooseObject, writeLooseObject } from './loose-objects.js';
import { moveRef } from './refs.js';

let path = '';
let [one, two, tree] = ['', '', ''];
beforeAll(async () => {
  const folder = await temporaryFolder();
  await git(folder, 'init', '--quiet', '--initial-branch=main');
  one = await commit(folder, { 'a.txt': 'one\n' });
  two = await commit(folder, { 'a.txt': 'two\n' });
  tree = await git(folder, 'rev-parse', 'HEAD^{tree}');
  path = join(folder, '.git');
});
afterAll(closeAll);

const ada = { name: 'Ada Ä', email: 'ada@example.com', date: '2024-02-03T04:05:06+05:30' };
const bot = { name: 'interlock[bot]', email: '1+bot@users.noreply.github.com', date: '2024-02-03T04:05:06Z' };

function newCommit(change: Partial<NewCommit> = {}): NewCommit {
  return { tree, parents: [one], author: ada, committer: bot, message: 'subject\n\nbody\n', ...change };
}

/** Returns the commit as `git log` prints it. */
async function asGitShows(sha: string): Promise<Record<string, unknown>> {
  const format = '%T%n%P%n%an%n%ae%n%aI%n%cn%n%ce%n%cI%n%B';
  const [shownTree, parents, an, ae, ad, cn, ce, cd, ...message] = (
    await git(path, 'log', '--no-walk', `--format=${format}`, sha)
  ).split('\n');
  const date = (text = '') => text.replace(/Z$/, '+00:00');
  return {
    sha,
    tree: shownTree,
    parents: parents?.split(' '),
    author: { name: an, email: ae, date: date(ad) },
    committer: { name: cn, email: ce, date: date(cd) },
    message: message.join('\n').trimEnd(),
  };
}

describe('commits', () => {
  test.each<[string, Partial<NewCommit>]>([
    ['one parent', {}],
    ['two parents, one of which is given twice', { parents: ['one', 'two', 'one'] }],
    ['a message of one line', { message: 'subject' }],
    ['a message that ends with empty lines', { message: 'subject\n\n\n' }],
    ['a time west of Greenwich', { author: { ...ada, date: '2024-02-03T04:05:06-03:30' } }],
  ])('equal the commits of git commit-tree: %s', async (_, change) => {
    const parents = change.parents?.map((name) => (name === 'one' ? one : two)) ?? [one];
    const wanted = newCommit({ ...change, parents });
    const object = commitObject(wanted);
    const id = object && writeLooseObject(path, 'commit', object);
    const repository = new BareRepository(path);
    const { author, committer, message } = wanted;
    const env = {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: author.date,
      GIT_COMMITTER_NAME: committer.name,
      GIT_COMMITTER_EMAIL: committer.email,
      GIT_COMMITTER_DATE: committer.date,
    };
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])];
    expect(id).toBe(await repository.run(args, { input: `${message}\n`, env }));
    expect(await repository.commit(id ?? '')).toEqual(await asGitShows(id ?? ''));
  });

  test.each<[string, Partial<NewCommit>]>([
    ['a name that git trims', { author: { ...ada, name: 'Ada.' } }],
    ['a name with characters that git removes', { author: { ...ada, name: 'Ada <x> L' } }],
    ['no address', { committer: { ...bot, email: '' } }],
    ['a time without an offset', { author: { ...ada, date: '2024-02-03' } }],
    ['a NUL character in the message', { message: 'a\0b' }],
    ['a parent that is not an id', { parents: ['main'] }],
  ])('are left to git when they have %s', (_, change) => {
    expect(commitObject(newCommit())).toBeDefined();
    expect(commitObject(newCommit(change))).toBeUndefined();
  });
});

test.each([
  ['another encoding', (text: string) => text.replace('\n\n', '\nencoding ISO-8859-1\n\n')],
  ['two authors', (text: string) => text.replace('author', 'author A <a> 1700000000 +0000\nauthor')],
  ['no time', (text: string) => text.replace(/ \d+ \+0530/, '')],
  ['no committer', (text: string) => text.replace(/committer .*\n/, '')],
  ['an incomplete header', (text: string) => text.slice(0, 60)],
])('leaves an object with %s to git', (_, change) => {
  const object = commitObject(newCommit()) ?? Buffer.alloc(0);
  expect(parseCommitObject(one, object)).toBeDefined();
  expect(parseCommitObject(one, Buffer.from(change(object.toString())))).toBeUndefined();
});

test('a commit can have a signature, which is ignored', async () => {
  const text = commitObject(newCommit())?.toString() ?? '';
  const signed = text.replace(
    '\n\n',
    '\ngpgsig -----BEGIN-----\n author X <x> 1 +0000\n \n -----END-----\n\n',
  );
  const id = writeLooseObject(path, 'commit', Buffer.from(signed)) ?? '';
  expect(parseCommitObject(id, Buffer.from(signed))).toEqual(await asGitShows(id));
});

test('writes a blob that git can read, and leaves a large blob to git', async () => {
  const content = Buffer.from('content\n');
  const id = await new BareRepository(path).createBlob(content);
  expect(await git(path, 'cat-file', 'blob', id)).toBe('content');
  expect(readLooseObject(path, id)).toEqual({ type: 'blob', content });
  expect(hasLooseObject(path, id)).toBe(true);
  const large = Buffer.alloc(1024 * 1024 + 1);
  expect(writeLooseObject(path, 'blob', large)).toBeUndefined();
  const largeId = await new BareRepository(path).createBlob(large);
  expect(await git(path, 'cat-file', '-s', largeId)).toBe(String(large.length));
  expect(readLooseObject(path, largeId)).toBeUndefined();
});

test('leaves an object that is missing, damaged or in a pack to git', async () => {
  const damaged = writeLooseObject(path, 'blob', Buffer.from('damaged')) ?? '';
  expect(readLooseObject(path, damaged)).toBeDefined();
  const file = join(path, 'objects', damaged.slice(0, 2), damaged.slice(2));
  await git(path, 'cat-file', '-e', damaged);
  await writeFile(`${file}.next`, 'no object');
  await rename(`${file}.next`, file);
  expect(readLooseObject(path, damaged)).toBeUndefined();
  expect(readLooseObject(path, 'f'.repeat(40))).toBeUndefined();
});

test('resolves ids of commits, trees and packed objects as git does', async () => {
  const repository = new BareRepository(path);
  expect(await repository.resolve(two)).toBe(two);
  expect(await repository.resolve(two, 'tree')).toBe(tree);
  expect(await repository.resolve(tree, 'tree')).toBe(tree);
  expect(await repository.resolve(tree)).toBeUndefined();
  expect(await repository.resolve(tree, 'object')).toBe(tree);
  expect(await repository.missing([one, 'f'.repeat(40), tree])).toEqual(['f'.repeat(40)]);
  await git(path, 'repack', '-a', '-d', '--quiet');
  expect(hasLooseObject(path, two)).toBe(false);
  expect(await repository.resolve(two, 'tree')).toBe(tree);
  expect((await new BareRepository(path).commit(two)).tree).toBe(tree);
});

describe('a reference that is updated', () => {
  const name = 'refs/heads/moving';
  const value = () => git(path, 'rev-parse', name);

  test('points to the new object for git, whether it was packed or not', async () => {
    await git(path, 'update-ref', name, one);
    expect(moveRef(path, name, { from: one, to: two })).toBe(true);
    expect(await value()).toBe(two);
    await git(path, 'pack-refs', '--all');
    expect(moveRef(path, name, { from: two, to: one })).toBe(true);
    expect(await value()).toBe(one);
  });

  test('does not change if it does not point to the expected object', async () => {
    await git(path, 'update-ref', name, one);
    expect(moveRef(path, name, { from: two, to: two })).toBe(false);
    expect(moveRef(path, 'refs/heads/missing', { from: one, to: two })).toBe(false);
    expect(await value()).toBe(one);
    expect(moveRef(path, name, { from: one, to: two })).toBe(true);
  });

  test('is left to git while another process holds its lock, and if it is symbolic', async () => {
    await git(path, 'update-ref', name, one);
    await writeFile(join(path, `${name}.lock`), '', { flag: 'wx' });
    expect(moveRef(path, name, { from: one, to: two })).toBeUndefined();
    expect(await value()).toBe(one);
    await git(path, 'symbolic-ref', 'refs/heads/symbolic', 'refs/heads/main');
    expect(moveRef(path, 'refs/heads/symbolic', { from: two, to: one })).toBeUndefined();
    expect(await git(path, 'rev-parse', 'refs/heads/main')).toBe(two);
  });
});
