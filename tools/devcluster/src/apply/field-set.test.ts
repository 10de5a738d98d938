import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FieldSet } from './field-set.js';
import { fieldElement, keyElement, printPath, valueElement, type Path } from './path-element.js';

const scalar = fc.oneof(fc.string({ maxLength: 4 }), fc.integer({ min: -9, max: 99 }), fc.boolean());
const element = fc.oneof(
  fc.constantFrom('a', 'b', 'c.d/e', '.').map(fieldElement),
  scalar.map(valueElement),
  fc.tuple(scalar, scalar).map(([name, port]) =>
    keyElement([
      ['port', port],
      ['name', name],
    ]),
  ),
  fc.nat(3).map((index) => `i:${String(index)}`),
);
const path: fc.Arbitrary<Path> = fc.array(element, { minLength: 1, maxLength: 4 });
const set = fc.array(path, { maxLength: 12 }).map((paths) => FieldSet.of(...paths));

describe('FieldSet', () => {
  it('reads and writes FieldsV1', () => {
    const fields = {
      'f:spec': {
        '.': {},
        'f:ports': { 'k:{"name":"http","port":80}': { '.': {}, 'f:name': {} } },
        'f:tags': { 'v:"a"': {}, 'v:2': {} },
        'f:list': { 'i:0': {}, 'i:10': {}, 'i:2': {} },
      },
    };
    const read = FieldSet.fromFieldsV1(fields);
    expect(read.toFieldsV1()).toEqual(fields);
    expect(read.has(['f:spec'])).toBe(true);
    expect(read.has(['f:spec', 'f:ports'])).toBe(false);
    expect(read.members().map(printPath)).toEqual([
      '.spec',
      '.spec.list[0]',
      '.spec.list[2]',
      '.spec.list[10]',
      '.spec.ports[name="http",port=80]',
      '.spec.ports[name="http",port=80].name',
      '.spec.tags[=2]',
      '.spec.tags[="a"]',
    ]);
  });

  it('reads the keys of a list item in any order', () => {
    const read = FieldSet.fromFieldsV1({ 'k:{"b":1, "a":2}': {} });
    expect(read.toFieldsV1()).toEqual({ 'k:{"a":2,"b":1}': {} });
  });

  it.each([{ 'x:a': {} }, { a: {} }, { 'k:1x': {} }, { 'i:one': {} }, { 'f:a': 1 }, []])(
    'refuses %j',
    (fields) => {
      expect(() => FieldSet.fromFieldsV1(fields)).toThrow();
    },
  );

  it('removes descendants only with the recursive difference', () => {
    const all = FieldSet.of(['f:a'], ['f:a', 'f:b'], ['f:c']);
    expect(all.difference(FieldSet.of(['f:a'])).toFieldsV1()).toEqual({ 'f:a': { 'f:b': {} }, 'f:c': {} });
    expect(all.recursiveDifference(FieldSet.of(['f:a'])).toFieldsV1()).toEqual({ 'f:c': {} });
    expect(all.leaves().toFieldsV1()).toEqual({ 'f:a': { 'f:b': {} }, 'f:c': {} });
  });

  it('does not change in a round trip through FieldsV1 JSON', () => {
    fc.assert(
      fc.property(set, (fields) => {
        const json = JSON.parse(JSON.stringify(fields.toFieldsV1())) as ReturnType<FieldSet['toFieldsV1']>;
        expect(FieldSet.fromFieldsV1(json).equals(fields)).toBe(true);
      }),
    );
  });

  it('obeys the laws of sets', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        expect(a.union(b).equals(b.union(a))).toBe(true);
        expect(a.intersection(b).equals(b.intersection(a))).toBe(true);
        expect(a.difference(b).union(a.intersection(b)).equals(a)).toBe(true);
        expect(a.difference(b).intersection(b).isEmpty()).toBe(true);
        expect(FieldSet.of(...a.members()).equals(a)).toBe(true);
        expect(a.members().every((member) => a.has(member))).toBe(true);
      }),
    );
  });
});
