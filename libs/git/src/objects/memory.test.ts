import { expect, test } from '@jest/globals';
import { createMemory } from './memory.js';

const maxBytes = 64 * 1024 ** 2;

test.each([
  [1_000, 1_000],
  [10_000, 1],
])('keeps fewer results of merges if they name %i files with conflicts', (length, characters) => {
  const { merges } = createMemory(maxBytes);
  const conflicts = Array.from({ length }, () => 'x'.repeat(characters));
  for (let n = 0; n < 1_000; n++) merges.set(`${n}`, { clean: false, related: true, tree: '', conflicts });
  merges.set('last', { clean: true, related: true, tree: '', conflicts: [] });
  const bytes = [...merges.values()].reduce((sum, one) => sum + one.conflicts.length * (characters + 20), 0);
  expect(bytes).toBeLessThan(maxBytes);
  expect(merges.get('last')).toBeDefined();
});

test('keeps fewer histories of folders if they are long', () => {
  const { changes } = createMemory(maxBytes);
  const ids = Array.from({ length: 500 }, () => 'f'.repeat(40));
  for (let n = 0; n < 5_000; n++) changes.set(`${n}`, ids);
  const bytes = [...changes.values()].reduce((sum, { length }) => sum + length * 40, 0);
  expect(bytes).toBeLessThan(maxBytes);
  expect(changes.get('4999')).toBeDefined();
});
