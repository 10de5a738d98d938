import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { InitialKeys } from './initial-keys.js';

const count = 1200;
const keys = Array.from({ length: count }, (_, index) => `key-${index}`);

describe('the keys of the objects that exist at the start', () => {
  it('are added in slices, so that other work gets its turn between them', async () => {
    const added: string[] = [];
    const initial = new InitialKeys((key) => added.push(key));
    const seen: number[] = [];
    keys.forEach((key) => initial.push(key));
    for (seen.push(added.length); added.length < count; seen.push(added.length)) await setImmediate();
    expect(seen).toEqual([500, 1000, 1200]);
    expect(added).toEqual(keys);
  });

  it('are added at once when there are few', () => {
    const added: string[] = [];
    const initial = new InitialKeys((key) => added.push(key));
    keys.slice(0, 3).forEach((key) => initial.push(key));
    expect(added).toEqual(keys.slice(0, 3));
  });
});
