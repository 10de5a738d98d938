import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { withinSize } from '../cache/size.js';
import { createGit, type Git, type GitOptions, type Mirror } from '../index.js';
import { mirrorName } from '../repository.js';
import { HttpRemote } from '../testing/http-remote.js';
import { Sandbox, type TestRemote } from '../testing/sandbox.js';
import { limiterOf } from './resources.js';

const DEV = 'refs/heads/dev';
const mebibyte = 1024 ** 2;

let sandbox: Sandbox;
let remote: TestRemote;
let server: HttpRemote;
let git: Git | undefined;

function open(options: Partial<GitOptions>): Mirror {
  git = createGit({ cacheDir: sandbox.cacheDir, transports: ['http'], ...options });
  return git.mirror({ url: server.url('remote.git'), tenant: 't' });
}

beforeEach(async () => {
  sandbox = new Sandbox();
  remote = sandbox.remote();
  server = await HttpRemote.start({ root: sandbox.root });
});
afterEach(async () => {
  git?.close();
  await server.close();
  sandbox.remove();
});

test('an object that takes more memory than a process may use is refused, and others are served', async () => {
  const small = sandbox.remote('small.git');
  const sha = small.commit(DEV, { a: '1' });
  remote.commit(DEV, { a: '1' }, 'x'.repeat(160 * mebibyte));
  const bomb = open({ maxProcessBytes: 128 * mebibyte });
  await expect(bomb.refresh([DEV])).rejects.toMatchObject({ type: 'Invalid', reason: 'MemoryExceeded' });
  const other = git?.mirror({ url: server.url('small.git'), tenant: 't' });
  expect((await other?.refresh([DEV]))?.refs.get(DEV)).toBe(sha);
});

test('a repository that does not fit into its bound is refused, and leaves nothing on the disk', async () => {
  remote.commit(DEV, { a: '1' }, randomBytes(2 * mebibyte).toString('hex'));
  const mirror = open({ maxMirrorBytes: mebibyte });
  await expect(mirror.refresh([DEV])).rejects.toMatchObject({
    type: 'Invalid',
    reason: 'RepositoryTooLarge',
  });
  const folder = join(sandbox.cacheDir, mirrorName('t', server.url('remote.git')), 'objects/pack');
  expect(readdirSync(folder)).toEqual([]);
});

test('a task is ended when its folder grows beyond the bound', async () => {
  const folder = sandbox.root;
  const growing = withinSize(folder, mebibyte, async (signal) => {
    writeFileSync(join(folder, 'large'), Buffer.alloc(2 * mebibyte));
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  await expect(growing).rejects.toMatchObject({ type: 'Invalid', reason: 'RepositoryTooLarge' });
  expect(await withinSize(folder, mebibyte, () => Promise.resolve('done'))).toBe('done');
});

test('a machine without prlimit runs programs as they are', () => {
  const limiter = limiterOf({ addressSpace: 1, fileSize: 1 }, sandbox.root);
  expect(limiter.isEffective).toBe(false);
  expect(limiter.wrap('git', ['version'])).toEqual({ program: 'git', args: ['version'] });
});

test('limits are set before the program begins', () => {
  sandbox.program('prlimit', '');
  const limiter = limiterOf({ addressSpace: 1_000, fileSize: 2_000 }, `relative:${sandbox.root}`);
  expect(limiter.wrap('git', ['version'])).toEqual(
    process.platform === 'linux'
      ? {
          program: sandbox.path('prlimit'),
          args: ['--as=1000', '--fsize=2000', '--core=0', 'git', 'version'],
        }
      : { program: 'git', args: ['version'] },
  );
});
