import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import type { Mirror } from './index.js';
import type { GitOptions } from './options.js';
import { mirrorName } from './repository.js';
import { useGit } from './testing/use-git.js';

const dev = 'refs/heads/dev';
const next = 'refs/heads/dev-next';
const author = { name: 'Interlock', email: 'bot@example.com', date: '2024-05-01T10:00:00Z' };

const given = useGit();
let warnings: object[];

function open(options: Partial<GitOptions> = {}): Mirror {
  const log = { debug: () => undefined, warn: (fields: object) => void warnings.push(fields) };
  return given.open({ log, ...options }).mirror({ url: given.remote.url, tenant: 't' });
}

const packFolder = () =>
  readdirSync(join(given.sandbox.cacheDir, mirrorName('t', given.remote.url), 'objects/pack'));
const packs = () => packFolder().filter((name) => name.endsWith('.pack'));
const leftOvers = () => packFolder().filter((name) => /tmp|\.keep$/.test(name));

beforeEach(() => {
  warnings = [];
});

/** Makes a commit with the content of the other branch, as an alignment or a revert does, and pushes it. */
async function align(mirror: Mirror, index: number): Promise<string> {
  const active = given.remote.commit(dev, { a: `active ${index}`, b: `${index}` });
  const proposed = given.remote.commit(next, { a: `proposed ${index}`, c: `${index}` });
  await mirror.refresh([dev, next]);
  const merged = await mirror.mergeTree(active, proposed);
  const tree = index % 2 === 0 ? merged.tree : ((await mirror.treeOf(proposed)) ?? '');
  const commit = { tree, parents: [proposed, active], message: `align ${index}`, author: author };
  const sha = await mirror.commitTree(commit);
  await mirror.push({ ref: next, sha, expected: proposed });
  await mirror.refresh([dev, next]);
  return sha;
}

test('packs a mirror with many created commits, and keeps it intact', async () => {
  const mirror = open({ maxPacks: 4 });
  const made: string[] = [];
  for (let index = 0; index < 12; index += 1) made.push(await align(mirror, index));
  expect(warnings).toEqual([]);
  expect(packs().length).toBeLessThanOrEqual(5);
  expect(leftOvers()).toEqual([]);
  given.git.close();
  const again = open({ maxPacks: 4 });
  await again.refresh([dev, next]);
  expect(await again.isAncestor(made[0] ?? '', made.at(-1) ?? '')).toBe(true);
});

test('retries failed packing when the number of packs has doubled, and leaves no temporary files', async () => {
  const broken = `if [ "$1" = gc ]; then
  touch "$GIT_DIR/objects/pack/tmp_idx_1" "$GIT_DIR/objects/pack/.tmp-1-pack-2.pack" "$GIT_DIR/objects/pack/pack-3.keep"
  echo 'fatal: failed to run repack' >&2; exit 128
fi`;
  const mirror = open({ maxPacks: 2, gitPath: given.sandbox.gitWrapper(broken) });
  for (let index = 0; index < 14; index += 1) {
    given.remote.commit(dev, { a: `${index}` });
    await mirror.refresh([dev]);
    expect(leftOvers()).toEqual([]);
  }
  expect(packs()).toHaveLength(14);
  expect(given.sandbox.processes().filter(({ args }) => args[0] === 'gc')).toHaveLength(2);
  expect(warnings).toMatchObject([{ packLimit: 6 }, { packLimit: 14 }]);
});

test('no longer defers packing after a success', async () => {
  const outage = given.sandbox.path('outage');
  const mirror = open({
    maxPacks: 2,
    gitPath: given.sandbox.gitWrapper(`[ "$1" = gc ] && [ -e ${outage} ] && exit 128`),
  });
  const grow = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      given.remote.commit(dev, { a: `${packs().length} ${time}` });
      await mirror.refresh([dev]);
    }
  };
  given.remote.commit(dev, { a: 'first' });
  await mirror.refresh([dev]);
  writeFileSync(outage, '');
  await grow(2);
  expect(packs()).toHaveLength(3);
  rmSync(outage);
  await grow(3);
  expect(packs()).toHaveLength(6);
  await grow(1);
  expect(packs()).toHaveLength(1);
  await grow(2);
  expect(packs()).toHaveLength(1);
  expect(warnings).toMatchObject([{ packLimit: 6 }]);
});
