import { expect, test } from '@jest/globals';
import { Activity } from '../process/activity.js';
import type { Sync } from '../remote/sync.js';
import type { Repository } from '../repository.js';
import { createMemory } from './memory.js';
import { Objects } from './objects.js';

const sha = (digit: string) => digit.repeat(40);

test('reads a folder of 300,000 files once', async () => {
  const names = Array.from({ length: 300_000 }, (_, index) => `file-${String(index).padStart(6, '0')}`);
  const id = Buffer.from(sha('b'), 'hex');
  const content = Buffer.concat(names.flatMap((name) => [Buffer.from(`100644 ${name}\0`), id]));
  let reads = 0;
  const repository = {
    name: 'r',
    use: (task: () => unknown) => task(),
    read: () => ((reads += 1), Promise.resolve({ type: 'tree', content })),
  } as unknown as Repository;
  const memory = createMemory(64 * 1024 ** 2);
  const objects = new Objects(repository, {} as Sync, memory, new Activity());
  const file = { mode: '100644', sha: sha('b') };
  for (const name of ['file-000000', 'file-299999']) {
    expect(await objects.entryAt(sha('a'), name)).toEqual(file);
  }
  expect(await objects.entryAt(sha('a'), 'file-300000')).toBeUndefined();
  expect(reads).toBe(1);
});
