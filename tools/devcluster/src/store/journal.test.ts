import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openJournal } from './journal.js';
import { Store } from './store.js';

let folder: string;
let open: Store[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  open = [];
});
afterEach(() => {
  for (const store of open) store.close();
  rmSync(folder, { recursive: true });
});

/** Returns a store for the folder. An earlier store that was not closed behaves like the store of a killed process. */
function load(snapshotEvery = 1000): Store {
  const store = new Store();
  openJournal(folder, store, { snapshotEvery });
  open.push(store);
  return store;
}

function put(store: Store, name: string, value: number): void {
  const expected = store.get('things', name)?.revision ?? 0;
  store.put('things', name, { apiVersion: 'v1', kind: 'Thing', metadata: { name }, value }, expected);
}

const state = (store: Store): unknown[] => [
  store.revision,
  ...store.entries('things').map(({ object }) => object),
];

describe('openJournal', () => {
  it('restores the state after a kill', () => {
    const store = load();
    for (let n = 0; n < 10; n += 1) put(store, `n${String(n % 4)}`, n);
    store.delete('things', 'n1', store.get('things', 'n1')?.revision ?? 0);
    expect(state(load())).toEqual(state(store));
  });

  it('restores the state after a close, and continues the revisions', () => {
    const store = load();
    put(store, 'a', 1);
    const before = state(store);
    store.close();
    expect(readFileSync(join(folder, 'log.ndjson'), 'utf8')).toBe('');
    const again = load();
    expect(state(again)).toEqual(before);
    put(again, 'b', 1);
    expect(again.revision).toBe(store.revision + 1);
  });

  it('writes snapshots without losing a change', () => {
    const store = load(3);
    for (let n = 0; n < 8; n += 1) put(store, `n${String(n)}`, n);
    expect(readFileSync(join(folder, 'log.ndjson'), 'utf8').trim().split('\n')).toHaveLength(2);
    expect(state(load(3))).toEqual(state(store));
  });

  it('keeps the log as history for watches', () => {
    const store = load();
    const from = store.revision;
    put(store, 'a', 1);
    put(store, 'a', 2);
    const seen: string[] = [];
    load().watch('things', from, ({ type }) => seen.push(type));
    expect(seen).toEqual(['ADDED', 'MODIFIED']);
  });

  it('discards an incomplete last line', () => {
    const store = load();
    put(store, 'a', 1);
    appendFileSync(join(folder, 'log.ndjson'), '{"revision":3,"collection":"thi');
    const again = load();
    expect(state(again)).toEqual(state(store));
    put(again, 'b', 1);
    expect(state(load())).toEqual(state(again));
  });

  it('refuses a truncated snapshot', () => {
    writeFileSync(join(folder, 'snapshot.ndjson'), '{"revision":3,"entries":2}\n');
    expect(() => {
      openJournal(folder, new Store());
    }).toThrow();
  });
});
