import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createGit, type Git, type Mirror } from './index.js';
import { Sandbox, type TestRemote } from './testing/sandbox.js';

const DEV = 'refs/heads/dev';
const IDENTITY = 'Ada <ada@example.com> 1700000000 +0100';

let sandbox: Sandbox;
let remote: TestRemote;
let git: Git;
let mirror: Mirror;

beforeEach(() => {
  sandbox = new Sandbox();
  remote = sandbox.remote();
  git = createGit({ cacheDir: sandbox.cacheDir, transports: ['file'], gitPath: sandbox.gitWrapper() });
  mirror = git.mirror({ url: remote.url, tenant: 't' });
});
afterEach(() => {
  git.close();
  sandbox.remove();
});

function commitOf({ author = IDENTITY, tree = remote.tree({ a: '1' }) }): string {
  const raw = `tree ${tree}\nauthor ${author}\ncommitter ${IDENTITY}\n\ntext\n`;
  const sha = remote.git(['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], raw);
  remote.git(['update-ref', DEV, sha]);
  return sha;
}

test.each([
  ['nothing but a bracket many times', '<'.repeat(60_000)],
  ['a bracket in the address', 'Ada <a<b> 1700000000 +0100'],
  ['a padded date', 'Ada <ada@example.com> 01700000000 +0100'],
])('a commit whose author is %s is refused', async (_, author) => {
  commitOf({ author });
  await expect(mirror.refresh([DEV])).rejects.toMatchObject({
    type: 'Invalid',
    reason: 'ObjectMalformed',
  });
  const good = commitOf({});
  expect((await mirror.refresh([DEV])).refs.get(DEV)).toBe(good);
});

test.each(['Ada <ada@example.com> 1700000000 +051800', 'Ada <ada@example.com>1700000000 +0100'])(
  'a commit with the harmless defect of old clients in %j is read',
  async (author) => {
    const sha = commitOf({ author });
    await mirror.refresh([DEV]);
    expect((await mirror.commit(sha)).author).toMatchObject({ name: 'Ada', email: 'ada@example.com' });
  },
);

test('a tree with zero-padded modes is read', async () => {
  const below = remote.tree({ x: '1' });
  const raw = Buffer.concat([Buffer.from('040000 folder\0'), Buffer.from(below, 'hex')]);
  const write = ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'];
  const sha = commitOf({ tree: remote.git(write, raw) });
  await mirror.refresh([DEV]);
  expect((await mirror.commit(sha)).sha).toBe(sha);
});

test('a repository with submodules is fetched by one process', async () => {
  const modules = '[submodule "m"]\n\tpath = m\n\turl = https://git.example.com/m\n';
  const sha = remote.commit(DEV, { '.gitmodules': modules, a: '1' });
  expect((await mirror.refresh([DEV])).refs.get(DEV)).toBe(sha);
  const fetches = sandbox.processes().filter(({ args }) => args[0] === 'fetch');
  expect(fetches).toHaveLength(1);
});
