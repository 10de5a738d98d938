import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KubeObject } from '../object.js';
import { keyOf, type StoreEvent } from './entry.js';
import { CompactedError, ExistsError, RevisionError } from './errors.js';
import { Store } from './store.js';

function object(name: string, value = 0, namespace = 'a'): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name, namespace }, value };
}

function put(store: Store, name: string, value = 0, namespace = 'a'): number {
  const key = keyOf(namespace, name);
  const expected = store.get('things', key)?.revision ?? 0;
  return store.put('things', key, object(name, value, namespace), expected).revision;
}

const names = (store: Store, options = {}): string[] =>
  store.list('things', options).entries.map(({ object: { metadata } }) => metadata.name);

describe('put and delete', () => {
  it('number every change of any collection', () => {
    const store = new Store({}, 10);
    const first = put(store, 'x');
    store.put('others', 'y', object('y'), 0);
    expect([first, put(store, 'x', 1), store.revision]).toEqual([11, 13, 13]);
    expect(store.delete('things', 'a/x', 13).object.metadata.resourceVersion).toBe('14');
  });

  it('refuse an unexpected revision', () => {
    const store = new Store();
    const first = put(store, 'x');
    expect(() => store.put('things', 'a/x', object('x'), 0)).toThrow(ExistsError);
    put(store, 'x', 1);
    expect(() => store.put('things', 'a/x', object('x'), first)).toThrow(RevisionError);
    expect(() => store.delete('things', 'a/x', first)).toThrow(RevisionError);
    expect(() => store.delete('things', 'a/none', 1)).toThrow(RevisionError);
  });
});

describe('list', () => {
  it('returns the objects of one namespace or of all namespaces in key order', () => {
    const store = new Store();
    for (const [name, namespace] of [
      ['b', 'z'],
      ['c', 'a'],
      ['a', 'z'],
    ] as const)
      put(store, name, 0, namespace);
    expect(names(store)).toEqual(['c', 'a', 'b']);
    expect(names(store, { namespace: 'z' })).toEqual(['a', 'b']);
    expect(names(store, { namespace: 'none' })).toEqual([]);
  });

  it('continues a list with the state of its first page', () => {
    const store = new Store();
    for (const name of ['a', 'b', 'c', 'd']) put(store, name);
    const page = store.list('things', { limit: 2 });
    expect([page.next, page.remaining]).toEqual(['a/b', 2]);
    store.delete('things', 'a/c', store.get('things', 'a/c')?.revision ?? 0);
    put(store, 'cc');
    const rest = { after: page.next, revision: page.revision };
    expect(names(store, rest)).toEqual(['c', 'd']);
    expect(names(store, { after: page.next })).toEqual(['cc', 'd']);
  });

  it('returns any past state', () => {
    const step = fc.record({ name: fc.constantFrom('a', 'b', 'c'), remove: fc.boolean(), value: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = new Store({ historyLimit: 1000 });
        const past = new Map<number, string>();
        const picture = (options = {}): string =>
          JSON.stringify(store.list('things', options).entries.map((entry) => entry.object));
        for (const { name, remove, value } of steps) {
          const entry = store.get('things', keyOf('a', name));
          if (remove && entry !== undefined) store.delete('things', entry.key, entry.revision);
          else put(store, name, value);
          past.set(store.revision, picture());
        }
        for (const [revision, expected] of past) expect(picture({ revision })).toBe(expected);
      }),
    );
  });
});

describe('watch', () => {
  it('replays past changes, then streams new ones', () => {
    const store = new Store();
    const start = put(store, 'x');
    put(store, 'x', 1);
    const seen: [string, number][] = [];
    const stop = store.watch('things', start, ({ type, revision }) => seen.push([type, revision - start]));
    put(store, 'y');
    stop();
    put(store, 'z');
    expect(seen).toEqual([
      ['MODIFIED', 1],
      ['ADDED', 2],
    ]);
  });

  it('refuses a compacted revision', () => {
    const store = new Store({ historyLimit: 5 });
    const start = put(store, 'x');
    for (let value = 1; value <= 20; value += 1) put(store, 'x', value);
    expect(() => store.watch('things', start, () => undefined)).toThrow(CompactedError);
    const seen: number[] = [];
    store.watch('things', store.revision - 5, ({ revision }) => seen.push(revision));
    expect(seen).toHaveLength(5);
    store.compact();
    expect(() => store.watch('things', store.revision - 1, () => undefined)).toThrow(CompactedError);
    expect(() => store.watch('never-written', 1, () => undefined)).toThrow(CompactedError);
  });

  it('calls all listeners with changes in the same order, including changes that a listener makes', () => {
    const store = new Store();
    const seen: number[] = [];
    store.subscribe(({ entry }: StoreEvent) => {
      if (entry.key === 'a/x') put(store, 'y');
    });
    store.subscribe(({ revision }) => seen.push(revision));
    const first = put(store, 'x');
    expect(seen).toEqual([first, first + 1]);
  });
});

describe('reached', () => {
  it('waits for a revision until its signal aborts', async () => {
    const store = new Store();
    const waiting = store.reached(store.revision + 2, new AbortController().signal);
    put(store, 'x');
    put(store, 'y');
    expect(await waiting).toBe(true);
    expect(await store.reached(store.revision + 1, AbortSignal.abort())).toBe(false);
  });
});
