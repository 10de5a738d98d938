import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { KubeObject } from '@interlock/api';
import { Store } from './store.js';

const labels = ['a', 'b', 'c'];
const command = fc.record({
  remove: fc.boolean(),
  name: fc.constantFrom('x', 'y', 'z'),
  namespace: fc.constantFrom('m', 'n'),
  labels: fc.subarray(labels),
});

const colours = ({ metadata }: KubeObject) => Object.keys(metadata.labels ?? {});

describe('Store', () => {
  test('finds the same objects by an index as by a scan, after any changes', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        const store = new Store<KubeObject>();
        store.addIndex('colour', colours);
        const expected = new Map<string, KubeObject>();
        for (const { remove, name, namespace, labels: own } of commands) {
          const metadata = { name, namespace, labels: Object.fromEntries(own.map((label) => [label, ''])) };
          const object = { apiVersion: 'v1', kind: 'Thing', metadata };
          if (remove) store.delete(object);
          else store.set(object);
          if (remove) expected.delete(`${namespace}/${name}`);
          else expected.set(`${namespace}/${name}`, object);
        }
        const all = [...expected.values()];
        expect(new Set(store.list(undefined))).toEqual(new Set(all));
        expect(store.size).toBe(all.length);
        for (const namespace of ['m', 'n']) {
          const inNamespace = all.filter(({ metadata }) => metadata.namespace === namespace);
          expect(new Set(store.list(namespace))).toEqual(new Set(inNamespace));
        }
        for (const label of labels) {
          const labelled = all.filter((object) => colours(object).includes(label));
          expect(new Set(store.byIndex('colour', label))).toEqual(new Set(labelled));
        }
        for (const object of all) expect(store.get(object.metadata)).toBe(object);
      }),
    );
  });

  test('does not change the store if an index function throws', () => {
    const store = new Store<KubeObject>();
    store.addIndex('colour', colours);
    store.addIndex('picky', ({ metadata }) => {
      if (metadata.labels?.['c'] === 'x') throw new Error('no');
      return [];
    });
    const object = (label: string) => ({
      apiVersion: 'v1',
      kind: 'Thing',
      metadata: { name: 'x', labels: { [label]: 'x' } },
    });
    const before = object('a');
    store.set(before);
    expect(() => store.set(object('c'))).toThrow('no');
    expect([store.list(undefined), store.byIndex('colour', 'a')]).toEqual([[before], [before]]);
    expect(store.byIndex('colour', 'c')).toEqual([]);
  });

  test('refuses duplicate and unknown names of indexes', () => {
    const store = new Store<KubeObject>();
    store.addIndex('colour', colours);
    expect(() => store.addIndex('color', colours)).not.toThrow();
    expect(() => store.addIndex('colour', colours)).toThrow('index colour already exists');
    expect(() => store.byIndex('size', 'x')).toThrow('index size does not exist');
  });
});
