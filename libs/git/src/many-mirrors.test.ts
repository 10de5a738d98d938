import { readdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { bytesInUse } from '@interlock/base/testing';
import { mirrorName } from './repository.js';
import { useGit } from './testing/use-git.js';

const dev = 'refs/heads/dev';
const kibibyte = 1024;
const count = 1_000;

const given = useGit();

test('uses at most 60 KiB for each of a thousand mirrors, and releases the memory when the mirrors are forgotten', async () => {
  given.open();
  const tenants = Array.from({ length: count }, (_, index) => `team-${index}/web`);
  const mirrorOf = (tenant: string) => given.git.mirror({ tenant, url: `file:///srv/${tenant}.git` });
  mirrorOf('first/web');
  const before = bytesInUse();
  tenants.forEach(mirrorOf);
  const mirrors = bytesInUse();
  expect(mirrors - before).toBeLessThan(count * 60 * kibibyte);
  for (const tenant of tenants) await given.git.forget(tenant);
  expect(bytesInUse() - before).toBeLessThan((mirrors - before) / 10 + 512 * kibibyte);
});

test('removes a forgotten mirror from the disk, and recreates it when it is used again', async () => {
  given.open();
  const other = given.sandbox.remote('other.git');
  const sha = given.remote.commit(dev, { a: '1' });
  other.commit(dev, { a: '2' });
  const mirror = given.git.mirror({ url: given.remote.url, tenant: 'a' });
  const moved = given.git.mirror({ url: other.url, tenant: 'a' });
  await Promise.all([mirror.refresh([dev]), moved.refresh([dev])]);
  await given.git.forget('a', moved);
  expect(readdirSync(given.sandbox.cacheDir)).toEqual([mirrorName('a', other.url)]);
  expect(given.git.mirror({ url: other.url, tenant: 'a' })).toBe(moved);

  const again = given.git.mirror({ url: given.remote.url, tenant: 'a' });
  expect(again).not.toBe(mirror);
  expect(await again.refresh([dev])).toEqual({ refs: new Map([[dev, sha]]), changed: [dev] });
});

test('deletes a forgotten mirror from the disk after its last use', async () => {
  given.open();
  const sha = given.remote.commit(dev, { a: '1' });
  const mirror = given.git.mirror({ url: given.remote.url, tenant: 'a' });
  const text = mirror.keep(async () => {
    await mirror.refresh([dev]);
    await given.git.forget('a');
    expect(readdirSync(given.sandbox.cacheDir)).toEqual([mirrorName('a', given.remote.url)]);
    return mirror.file(sha, 'a');
  });
  expect(String(await text)).toBe('1');
  expect(readdirSync(given.sandbox.cacheDir)).toEqual([]);
});
