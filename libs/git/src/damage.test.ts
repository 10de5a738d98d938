import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { DiskCache } from './cache/disk.js';
import type { Mirror } from './index.js';
import type { GitOptions } from './options.js';
import { Damage } from './damage.js';
import { mirrorName } from './repository.js';
import { useGit } from './testing/use-git.js';

const dev = 'refs/heads/dev';
const polls = 4;

const given = useGit();

function open(options: Partial<GitOptions> = {}): Mirror {
  return given.open(options).mirror({ url: given.remote.url, tenant: 't' });
}

const folder = () => join(given.sandbox.cacheDir, mirrorName('t', given.remote.url));

/** Overwrites the bytes of all files whose names end with `end`, except for the first `keep` bytes. */
function zero(end: string, keep = 12): void {
  const names = readdirSync(folder(), { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((one) => one.endsWith(end))) {
    const path = join(folder(), name);
    const { size } = statSync(path);
    truncateSync(path, keep);
    appendFileSync(path, Buffer.alloc(size - keep));
  }
}

describe('a mirror recovers within a few polls from', () => {
  test.each<[string, (sha: string) => void]>([
    ['zeroed packs', () => zero('.pack')],
    ['zeroed indexes', () => zero('.idx', 0)],
    ['packs that were cut', () => zero('.pack', 40)],
    ['an empty reference', (sha) => writeFileSync(join(folder(), 'refs/tips', sha), '')],
    [
      'a reference to a missing object',
      (sha) => writeFileSync(join(folder(), 'refs/tips', sha), 'f'.repeat(40)),
    ],
    [
      'a folder instead of a reference',
      (sha) => {
        rmSync(join(folder(), 'refs/tips', sha));
        mkdirSync(join(folder(), 'refs/tips', sha, 'x'), { recursive: true });
        writeFileSync(join(folder(), 'refs/tips', sha, 'x', 'y'), 'f'.repeat(40));
      },
    ],
    ['an empty HEAD', () => writeFileSync(join(folder(), 'HEAD'), '')],
    ['a broken config', () => writeFileSync(join(folder(), 'config'), '[core\n')],
    ['an empty config', () => writeFileSync(join(folder(), 'config'), '')],
  ])('%s', async (_, damage) => {
    const commits = Array.from({ length: 20 }, (_one, index) =>
      given.remote.commit(dev, { a: `${index}`, b: 'x' }),
    );
    const [first = '', tip = ''] = [commits[0], commits.at(-1)];
    await open().refresh([dev]);
    given.git.close();
    damage(tip);
    const mirror = open();
    const poll = async () => {
      const { refs } = await mirror.refresh([dev]);
      const files = await Promise.all(commits.map((sha) => mirror.file(sha, 'a')));
      return [refs.get(dev), await mirror.isAncestor(first, tip), ...files.map(String)];
    };
    const outcomes: PromiseSettledResult<unknown>[] = [];
    for (let index = 0; index < polls; index += 1) outcomes.push(...(await Promise.allSettled([poll()])));
    expect(outcomes.at(-1)).toEqual({
      status: 'fulfilled',
      value: [tip, true, ...commits.map((_one, index) => `${index}`)],
    });
    for (const outcome of outcomes) expect(outcome).not.toMatchObject({ reason: { type: 'Conflict' } });
    const next = given.remote.commit(dev, { a: 'next' });
    expect((await mirror.refresh([dev])).refs.get(dev)).toBe(next);
  });
});

test('cleans up temporary files on a full disk, and evicts unused mirrors', async () => {
  const full = `if [ "$1" = fetch ] && [ -e "${given.sandbox.root}/full" ]; then
  touch "$GIT_DIR/objects/pack/tmp_pack_1"; echo 'fatal: write error: No space left on device' >&2; exit 128
fi`;
  const mirror = open({ gitPath: given.sandbox.gitWrapper(full), freeBytes: () => Promise.resolve(0) });
  const idle = given.sandbox.remote('idle.git');
  idle.commit(dev, { a: '1' });
  const other = given.git.mirror({ url: idle.url, tenant: 't' });
  await other.refresh([dev]);
  given.remote.commit(dev, { a: '1' });
  await mirror.refresh([dev]);
  const next = given.remote.commit(dev, { a: '2' });
  writeFileSync(given.sandbox.path('full'), '');
  await expect(mirror.refresh([dev])).rejects.toMatchObject({ type: 'Transient', reason: 'DiskFull' });
  expect(readdirSync(given.sandbox.cacheDir)).toEqual([mirrorName('t', given.remote.url)]);
  const names = readdirSync(join(folder(), 'objects/pack'));
  expect(names.filter((name) => name.startsWith('tmp_'))).toEqual([]);
  given.git.close();
  expect((await open().refresh([dev])).refs.get(dev)).toBe(next);
});

test('evicts unused mirrors when the disk is too full for a new one', async () => {
  const full = `if [ "$1" = init ] && [ -e "${given.sandbox.root}/full" ]; then
  echo 'fatal: unable to write symref for HEAD: No space left on device' >&2; exit 128
fi`;
  const idle = open({ gitPath: given.sandbox.gitWrapper(full), freeBytes: () => Promise.resolve(0) });
  given.remote.commit(dev, { a: '1' });
  await idle.refresh([dev]);
  const added = given.sandbox.remote('added.git');
  const tip = added.commit(dev, { a: '1' });
  const mirror = given.git.mirror({ url: added.url, tenant: 't' });
  writeFileSync(given.sandbox.path('full'), '');
  await expect(mirror.refresh([dev])).rejects.toMatchObject({ type: 'Transient', reason: 'DiskFull' });
  expect(readdirSync(given.sandbox.cacheDir)).toEqual([]);
  rmSync(given.sandbox.path('full'));
  expect((await mirror.refresh([dev])).refs.get(dev)).toBe(tip);
});

test('reports a full disk as Transient when a new mirror cannot be written', async () => {
  const cache = new DiskCache({
    directory: given.sandbox.cacheDir,
    maxBytes: 1000,
    reserveBytes: 0,
    freeBytes: () => Promise.resolve(0),
    now: () => 0,
    onEvict: () => undefined,
  });
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  await expect(cache.create('new', () => Promise.reject(error))).rejects.toMatchObject({
    type: 'Transient',
    reason: 'DiskFull',
    message: 'cannot create a git mirror: ENOSPC: no space left on device, write',
  });
});

test('recreates a mirror after three failures, and then after twice as many each time', () => {
  const damage = new Damage();
  const recreated = Array.from({ length: 21 }, () => damage.count());
  expect(recreated.flatMap((isRecreated, index) => (isRecreated ? [index + 1] : []))).toEqual([3, 9, 21]);
});
