import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { useMirror } from './testing/use-git.js';

const dev = 'refs/heads/dev';
const identity = 'Ada <ada@example.com> 1700000000 +0100';

const given = useMirror();

function commitOf({ author = identity, tree = given.remote.tree({ a: '1' }) }): string {
  const raw = `tree ${tree}\nauthor ${author}\ncommitter ${identity}\n\ntext\n`;
  const sha = given.remote.git(['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], raw);
  given.remote.git(['update-ref', dev, sha]);
  return sha;
}

test.each([
  ['nothing but a bracket many times', '<'.repeat(60_000)],
  ['a bracket in the address', 'Ada <a<b> 1700000000 +0100'],
  ['a padded date', 'Ada <ada@example.com> 01700000000 +0100'],
])('refuses a commit whose author is %s', async (_, author) => {
  commitOf({ author });
  await expect(given.mirror.refresh([dev])).rejects.toMatchObject({
    type: 'Invalid',
    reason: 'ObjectMalformed',
  });
  const good = commitOf({});
  expect((await given.mirror.refresh([dev])).refs.get(dev)).toBe(good);
});

test.each(['Ada <ada@example.com> 1700000000 +051800', 'Ada <ada@example.com>1700000000 +0100'])(
  'reads a commit with the harmless defect of old clients in %j',
  async (author) => {
    const sha = commitOf({ author });
    await given.mirror.refresh([dev]);
    expect((await given.mirror.commit(sha)).author).toMatchObject({ name: 'Ada', email: 'ada@example.com' });
  },
);

const entry = (head: string, sha: string) =>
  Buffer.concat([Buffer.from(`${head}\0`), Buffer.from(sha, 'hex')]);
const treeOf = (...entries: Buffer[]) =>
  given.remote.git(['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], Buffer.concat(entries));

test('reads and changes a tree with zero-padded modes', async () => {
  const below = given.remote.tree({ x: '1' });
  const [file, folder] = [entry('100644 a.txt', given.remote.blob('2')), entry('040000 a', below)];
  const tree = treeOf(file, folder);
  const sha = commitOf({ tree });
  await given.mirror.refresh([dev]);
  expect((await given.mirror.commit(sha)).sha).toBe(sha);
  expect(await given.mirror.treeOf(sha, 'a')).toBe(below);
  expect(String(await given.mirror.file(sha, 'a/x'))).toBe('1');
  // The name of a folder sorts as if it ended in a slash, after the dot.
  expect(await given.mirror.graft(tree, 'a.z', below)).toBe(treeOf(file, entry('40000 a.z', below), folder));
});

test('fetches a repository with submodules by one process', async () => {
  const modules = '[submodule "m"]\n\tpath = m\n\turl = https://git.example.com/m\n';
  const sha = given.remote.commit(dev, { '.gitmodules': modules, a: '1' });
  expect((await given.mirror.refresh([dev])).refs.get(dev)).toBe(sha);
  const fetches = given.sandbox.processes().filter(({ args }) => args[0] === 'fetch');
  expect(fetches).toHaveLength(1);
});

test('refuses a repository whose object ids are SHA-256, instead of overlooking its branches', async () => {
  const directory = given.sandbox.path('sha256.git');
  execFileSync('git', ['init', '--quiet', '--bare', '--object-format=sha256', directory]);
  const newer = given.sandbox.remote('sha256.git');
  const tree = newer.git(['mktree']);
  newer.git(['update-ref', dev, newer.git(['commit-tree', tree, '-m', 'text'])]);
  const mirror = given.git.mirror({ url: newer.url, tenant: 't' });
  await expect(mirror.refresh([dev])).rejects.toMatchObject({
    type: 'Invalid',
    reason: 'ObjectFormatUnsupported',
    message: expect.stringContaining('; use a repository that git created with --object-format=sha1'),
  });
});
