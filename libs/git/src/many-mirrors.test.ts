import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createGit, type Git, type GitOptions } from './index.js';
import { mirrorName } from './repository.js';
import { Sandbox } from './testing/sandbox.js';

const DEV = 'refs/heads/dev';
const kibibyte = 1024;
const count = 1_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let sandbox: Sandbox;
let git: Git;

function open(options: Partial<GitOptions> = {}): void {
  git = createGit({ cacheDir: sandbox.cacheDir, transports: ['file'], ...options });
}

function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

beforeEach(() => {
  sandbox = new Sandbox();
});
afterEach(() => {
  git.close();
  sandbox.remove();
});

test('a thousand mirrors take at most 60 KiB each, and give it back when they are forgotten', async () => {
  open();
  const tenants = Array.from({ length: count }, (_, index) => `team-${index}/web`);
  const mirrorOf = (tenant: string) => git.mirror({ tenant, url: `file:///srv/${tenant}.git` });
  mirrorOf('first/web');
  const before = bytesInUse();
  tenants.forEach(mirrorOf);
  const mirrors = bytesInUse();
  expect(mirrors - before).toBeLessThan(count * 60 * kibibyte);
  for (const tenant of tenants) await git.forget(tenant);
  expect(bytesInUse() - before).toBeLessThan((mirrors - before) / 10 + 512 * kibibyte);
});

test('a mirror that is forgotten leaves the disk, and is made anew when it is used again', async () => {
  open();
  const [remote, other] = [sandbox.remote(), sandbox.remote('other.git')];
  const sha = remote.commit(DEV, { a: '1' });
  other.commit(DEV, { a: '2' });
  const mirror = git.mirror({ url: remote.url, tenant: 'a' });
  const moved = git.mirror({ url: other.url, tenant: 'a' });
  await Promise.all([mirror.refresh([DEV]), moved.refresh([DEV])]);
  await git.forget('a', moved);
  expect(readdirSync(sandbox.cacheDir)).toEqual([mirrorName('a', other.url)]);
  expect(git.mirror({ url: other.url, tenant: 'a' })).toBe(moved);

  const again = git.mirror({ url: remote.url, tenant: 'a' });
  expect(again).not.toBe(mirror);
  expect(await again.refresh([DEV])).toEqual({ refs: new Map([[DEV, sha]]), changed: [DEV] });
});

test('a mirror in use is deleted when its use is over', async () => {
  open();
  const remote = sandbox.remote();
  const sha = remote.commit(DEV, { a: '1' });
  const mirror = git.mirror({ url: remote.url, tenant: 'a' });
  const text = mirror.keep(async () => {
    await mirror.refresh([DEV]);
    await git.forget('a');
    expect(readdirSync(sandbox.cacheDir)).toEqual([mirrorName('a', remote.url)]);
    return mirror.file(sha, 'a');
  });
  expect(String(await text)).toBe('1');
  expect(readdirSync(sandbox.cacheDir)).toEqual([]);
});
