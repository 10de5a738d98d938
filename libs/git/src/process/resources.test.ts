import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { withinSize } from '../cache/size.js';
import { createGit, type Git, type Mirror } from '../index.js';
import type { GitOptions } from '../options.js';
import { mirrorName } from '../repository.js';
import { HttpRemote } from '../testing/http-remote.js';
import { Sandbox, type TestRemote } from '../testing/sandbox.js';
import { gitMemoryBytes, shareMemory } from './memory-share.js';
import { limiterOf } from './resources.js';

const dev = 'refs/heads/dev';
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

test('refuses an object that needs more memory than a process may use, and reads other repositories', async () => {
  const small = sandbox.remote('small.git');
  const sha = small.commit(dev, { a: '1' });
  remote.commit(dev, { a: '1' }, 'x'.repeat(160 * mebibyte));
  const bomb = open({ maxProcessBytes: 128 * mebibyte });
  await expect(bomb.refresh([dev])).rejects.toMatchObject({ type: 'Invalid', reason: 'MemoryExceeded' });
  const other = git?.mirror({ url: server.url('small.git'), tenant: 't' });
  expect((await other?.refresh([dev]))?.refs.get(dev)).toBe(sha);
});

test('gives a short-lived process an eighth of the memory of the largest process, and a reader a sixteenth', async () => {
  const program = sandbox.gitWrapper('echo "$1 $(ulimit -d)" >> "$HOME/limits"');
  const sha = remote.commit(dev, { a: '1' });
  const mirror = open({ gitPath: program, maxProcessBytes: 256 * mebibyte });
  await mirror.refresh([dev]);
  expect(String(await mirror.file(sha, 'a'))).toBe('1');
  const limits = new Set(sandbox.read('cache/limits').trim().split('\n'));
  expect([...limits]).toEqual(expect.arrayContaining(['fetch 32768', 'cat-file 16384']));
  expect([...limits].filter((line) => !/ (32768|16384)$/.test(line))).toEqual([]);
});

test('serves repositories that need more than the usual memory one process at a time', async () => {
  const shas = ['one', 'two'].map((name) =>
    sandbox.remote(`${name}.git`).commit(dev, { a: name }, 'x'.repeat(40 * mebibyte)),
  );
  const program = sandbox.gitWrapper(`if [ "$1" = fetch ] && [ "$(ulimit -d)" = 262144 ]; then
  echo "$$ began" >> "$HOME/large"
  trap 'echo "$$ ended" >> "$HOME/large"' EXIT
  git "$@"; exit
fi`);
  const own = (git = createGit({ cacheDir: sandbox.cacheDir, transports: ['http'], gitPath: program }));
  const refreshed = ['one', 'two'].map((name) =>
    own.mirror({ url: server.url(`${name}.git`), tenant: name }).refresh([dev]),
  );
  const tips = (await Promise.all(refreshed)).map(({ refs }) => refs.get(dev));
  expect(tips).toEqual(shas);
  const lines = sandbox.read('cache/large').trim().split('\n');
  expect(lines.map((line) => line.split(' ')[1])).toEqual(['began', 'ended', 'began', 'ended']);
});

test('starts a separate process for an object that needs more memory than a reader may use', async () => {
  const text = 'x'.repeat(20 * mebibyte);
  const sha = remote.commit(dev, { a: text });
  const mirror = open({});
  await mirror.refresh([dev]);
  const content = await mirror.file(sha, 'a', { maxBytes: 50 * mebibyte });
  expect(content?.equals(Buffer.from(text))).toBe(true);
});

test('uses at most three times the memory of the largest process in total', () => {
  expect(gitMemoryBytes(256 * mebibyte)).toBe(768 * mebibyte);
  expect(shareMemory(100)).toEqual({ largest: 100, usual: 12, reader: 6 });
});

test('refuses a repository that is too large, and leaves no packs on the disk', async () => {
  remote.commit(dev, { a: '1' }, randomBytes(2 * mebibyte).toString('hex'));
  const mirror = open({ maxMirrorBytes: mebibyte });
  await expect(mirror.refresh([dev])).rejects.toMatchObject({
    type: 'Invalid',
    reason: 'RepositoryTooLarge',
  });
  const folder = join(sandbox.cacheDir, mirrorName('t', server.url('remote.git')), 'objects/pack');
  expect(readdirSync(folder)).toEqual([]);
});

test('ends a task when its folder grows beyond the bound', async () => {
  const folder = sandbox.root;
  const growing = withinSize(folder, mebibyte, async (signal) => {
    writeFileSync(join(folder, 'large'), Buffer.alloc(2 * mebibyte));
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  await expect(growing).rejects.toMatchObject({
    type: 'Invalid',
    reason: 'RepositoryTooLarge',
    message: expect.stringContaining('; raise the limit of the cache'),
  });
  expect(await withinSize(folder, mebibyte, () => Promise.resolve('done'))).toBe('done');
});

test('runs programs without limits on a machine without prlimit', () => {
  const limiter = limiterOf({ memory: 1, fileSize: 1 }, sandbox.root);
  expect(limiter.isEffective).toBe(false);
  expect(limiter.wrap('git', ['version'])).toEqual({ program: 'git', args: ['version'] });
});

test('sets limits before the program begins', () => {
  sandbox.program('prlimit', '');
  const limiter = limiterOf({ memory: 1_000, fileSize: 2_000 }, `relative:${sandbox.root}`);
  expect(limiter.wrap('git', ['version'])).toEqual(
    process.platform === 'linux'
      ? {
          program: sandbox.path('prlimit'),
          args: ['--data=1000', '--stack=2097152', '--fsize=2000', '--core=0', 'git', 'version'],
        }
      : { program: 'git', args: ['version'] },
  );
});
