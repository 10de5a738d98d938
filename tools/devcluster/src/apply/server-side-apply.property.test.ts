import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Json, JsonObject } from '../schema/types.js';
import { compareTyped } from './compare.js';
import { decodeManagers } from './managed-fields.js';
import { mergeTyped } from './merge.js';
import { applied, apply, bare, gizmo, gizmoSchema, later, owners, updated } from './testing/gizmo.js';
import { toFieldSet } from './to-field-set.js';
import { objectType } from './types.js';

const type = objectType(gizmoSchema);
const word = fc.constantFrom('a', 'b', 'c');
const words = fc.dictionary(fc.constantFrom('k1', 'k2', 'k3'), word, { minKeys: 1 });

/** Specs over names with a prefix: specs with different prefixes have no fields in common. */
function specs(prefix = ''): fc.Arbitrary<JsonObject> {
  const item = fc.constantFrom('1', '2', '3').map((name) => `${prefix}${name}`);
  const base = prefix.length * 100;
  const shared = {
    labels: fc.dictionary(item, word, { minKeys: 1 }),
    tags: fc.uniqueArray(item, { minLength: 1 }),
    ports: fc.uniqueArray(
      fc.record(
        { port: fc.integer({ min: base, max: base + 3 }), name: word, env: words },
        { requiredKeys: ['port'] },
      ),
      { selector: ({ port }) => port, minLength: 1 },
    ),
  };
  const own = {
    size: word,
    count: fc.nat(3),
    on: fc.boolean(),
    args: fc.array(word),
    selector: words,
    nested: fc.record({ a: word }),
  };
  return fc
    .record(prefix === '' ? { ...shared, ...own } : shared, { requiredKeys: [] })
    .map((spec): JsonObject => spec);
}

const configs = specs().map((spec) => gizmo(spec));
const sorted = (value: Json): Json => {
  if (Array.isArray(value))
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, sorted(child)]),
  );
};

describe('server-side apply', () => {
  it('changes nothing when it is repeated', () => {
    fc.assert(
      fc.property(configs, configs, (first, second) => {
        const before = applied(applied(undefined, first, 'one'), second, 'two', { force: true });
        expect(applied(before, second, 'two', { now: later })).toEqual(before);
      }),
    );
  });

  it('never conflicts with force, and the manager then owns exactly the fields of its configuration', () => {
    fc.assert(
      fc.property(configs, configs, configs, (first, second, third) => {
        const one = applied(undefined, first, 'one');
        const two = applied(one, second, 'two', { force: true });
        const object = applied(two, third, 'one', { force: true });
        const own = [...decodeManagers(object).values()].find(({ manager }) => manager === 'one')?.fields;
        const stated = toFieldSet({ spec: third['spec']! }, type);
        expect(own?.toFieldsV1() ?? {}).toEqual(stated.toFieldsV1());
      }),
    );
  });

  it('sets every applied leaf to the applied value', () => {
    fc.assert(
      fc.property(configs, configs, (first, second) => {
        const object = applied(applied(undefined, first, 'one'), second, 'two', { force: true });
        const { modified, added } = compareTyped(object, mergeTyped(object, second, type), type);
        expect(modified.union(added).toFieldsV1()).toEqual({});
      }),
    );
  });

  it('commutes for managers without common fields', () => {
    fc.assert(
      fc.property(specs('x'), specs('yy'), (x, y) => {
        const xy = applied(applied(undefined, gizmo(x), 'x'), gizmo(y), 'y');
        const yx = applied(applied(undefined, gizmo(y), 'y'), gizmo(x), 'x');
        expect(sorted(bare(xy))).toEqual(sorted(bare(yx)));
        expect(owners(xy)).toEqual(owners(yx));
      }),
    );
  });

  it('conflicts exactly when another manager owns a field that changes', () => {
    fc.assert(
      fc.property(configs, configs, (first, second) => {
        const one = applied(undefined, first, 'one');
        const result = apply(one, second, 'two');
        const changed = compareTyped(one, mergeTyped(one, second, type), type);
        const clash = toFieldSet(first, type).intersection(changed.modified.union(changed.added));
        expect('conflicts' in result).toBe(!clash.isEmpty());
      }),
    );
  });

  it('removes an omitted field if and only if it has no other owner', () => {
    const keep = fc.record({
      ...Object.fromEntries(['labels', 'tags', 'ports', 'size', 'nested'].map((key) => [key, fc.boolean()])),
    });
    fc.assert(
      fc.property(specs(), keep, (spec, kept) => {
        const part = Object.fromEntries(Object.entries(spec).filter(([key]) => kept[key] === true));
        const one = applied(undefined, gizmo(spec), 'one');
        const both = applied(one, gizmo(part), 'two');
        const left = applied(both, gizmo(), 'one');
        expect(bare(left)['spec'] ?? {}).toEqual(part);
      }),
    );
  });
});

describe('trackUpdate', () => {
  it('assigns changed fields only to the writer', () => {
    fc.assert(
      fc.property(configs, configs, (first, second) => {
        const before = applied(undefined, first, 'one');
        const object = updated(before, { ...second, metadata: before['metadata']! }, 'hand');
        const { added, modified, removed } = compareTyped(bare(before), bare(object), type);
        const managers = [...decodeManagers(object).values()];
        const hand = managers.find(({ manager }) => manager === 'hand')?.fields;
        const one = managers.find(({ manager }) => manager === 'one')?.fields;
        expect(hand?.toFieldsV1() ?? {}).toEqual(added.union(modified).toFieldsV1());
        expect(one?.intersection(added.union(modified).union(removed)).isEmpty() ?? true).toBe(true);
      }),
    );
  });

  it('keeps all entries when nothing changes', () => {
    fc.assert(
      fc.property(configs, (config) => {
        const object = applied(undefined, config, 'one');
        expect(updated(object, object, 'hand', { now: later })).toEqual(object);
      }),
    );
  });
});
