import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { closeAll, temporaryFolder } from '../testing/forge.js';
import type { ForgeState } from './model.js';
import { Store } from './store.js';

afterEach(closeAll);

async function saved(folder: string): Promise<ForgeState> {
  return JSON.parse(await readFile(join(folder, 'forge.json'), 'utf8')) as ForgeState;
}

test('writes all earlier changes to disk before a call resolves, whatever the number of calls', async () => {
  const folder = await temporaryFolder();
  const store = await Store.open(folder);
  const calls: Promise<void>[] = [];
  for (let id = 1; id <= 50; id++) {
    store.state.lastId = id;
    calls.push(
      store.save().then(async () => expect((await saved(folder)).lastId).toBeGreaterThanOrEqual(id)),
    );
    if (id % 7 === 0) await calls.at(-2);
  }
  await Promise.all(calls);
  expect((await saved(folder)).lastId).toBe(50);
  expect((await Store.open(folder)).state).toEqual(store.state);
});

test('writes a file that only its owner can read', async () => {
  const folder = await temporaryFolder();
  await (await Store.open(folder)).save();
  expect((await stat(join(folder, 'forge.json'))).mode & 0o777).toBe(0o600);
});

test('fails when the file cannot be read, instead of starting an empty forge', async () => {
  const folder = await temporaryFolder();
  const store = await Store.open(folder);
  await store.save();
  await expect(Store.open(join(folder, 'forge.json'))).rejects.toThrow();
});
