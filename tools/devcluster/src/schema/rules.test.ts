import { describe, expect, test } from '@jest/globals';
import { compileSchema } from './compile.js';
import { int64, list, listMap, map, object, string } from './dsl.js';
import type { Json, JsonObject, Schema, ValidationRule } from './types.js';

const rules = (...given: (ValidationRule | string)[]): { 'x-kubernetes-validations': ValidationRule[] } => ({
  'x-kubernetes-validations': given.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});
const resource = (spec: Json): JsonObject => ({
  apiVersion: 'test.dev/v1',
  kind: 'Box',
  metadata: { name: 'a' },
  spec,
});
const causes = (spec: Schema, value: Json, old?: Json): string[] =>
  compileSchema(object({ spec }))
    .validate(resource(value), old === undefined ? undefined : resource(old))
    .map((cause) => `${cause.reason} ${cause.field}: ${cause.message}`);

describe('rules', () => {
  test.each<[string, Schema, Json, string[]]>([
    ['report nothing when they hold', object({ a: int64() }, rules('self.a > 0')), { a: 1 }, []],
    [
      'are quoted when they have no message',
      object({ a: int64() }, rules(' self.a > 0 ')),
      { a: 0 },
      ['FieldValueInvalid spec: Invalid value: failed rule: self.a > 0'],
    ],
    [
      'on a scalar report the value',
      object({ a: int64(rules({ rule: 'self > 0', message: 'too small' })) }),
      { a: 0 },
      ['FieldValueInvalid spec.a: Invalid value: 0: too small'],
    ],
    [
      'report the result of their message expression',
      object({ a: int64() }, rules({ rule: 'self.a > 0', messageExpression: '"got " + string(self.a)' })),
      { a: 0 },
      ['FieldValueInvalid spec: Invalid value: got 0'],
    ],
    [
      'report their message when the message expression fails',
      object(
        { a: int64() },
        rules({ rule: 'self.a > 0', message: 'plain', messageExpression: 'string(1 / self.a)' }),
      ),
      { a: 0 },
      ['FieldValueInvalid spec: Invalid value: plain'],
    ],
    [
      'set the reason and the field path',
      object(
        { m: map(string()) },
        rules({ rule: 'false', message: 'no', reason: 'FieldValueRequired', fieldPath: ".m['x.y']" }),
      ),
      {},
      ['FieldValueRequired spec.m[x.y]: Required value: no'],
    ],
    [
      'can report duplicates',
      object({ a: int64(rules({ rule: 'false', reason: 'FieldValueDuplicate' })) }),
      { a: 1 },
      ['FieldValueDuplicate spec.a: Duplicate value: 1'],
    ],
    [
      'report an error at run time',
      object({ m: map(string()) }, rules('self.m.x == "a"')),
      { m: {} },
      ['FieldValueInvalid spec: Invalid value: "object": no such key: x evaluating rule: self.m.x == "a"'],
    ],
    [
      'are evaluated for an object before its items and map values',
      object(
        { l: list(int64(rules('self > 1'))), m: map(int64(rules('self > 2'))) },
        rules('size(self.l) > 2'),
      ),
      { l: [2, 1], m: { k: 1 } },
      [
        'FieldValueInvalid spec: Invalid value: failed rule: size(self.l) > 2',
        'FieldValueInvalid spec.l[1]: Invalid value: 1: failed rule: self > 1',
        'FieldValueInvalid spec.m[k]: Invalid value: 1: failed rule: self > 2',
      ],
    ],
    [
      'are not evaluated on null',
      object({ a: int64({ nullable: true, ...rules('self > 0') }) }),
      { a: null },
      [],
    ],
    [
      'are not evaluated when the shape is wrong',
      object({ a: int64(), b: string() }, rules('self.a > 0')),
      { a: 0, b: 1 },
      [
        'FieldValueTypeInvalid spec.b: Invalid value: "integer": spec.b in body must be of type string: "integer"',
        'FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      ],
    ],
    [
      'are evaluated when only a bound is exceeded',
      object({ a: int64({ minimum: 1 }) }, rules('self.a > 0')),
      { a: 0 },
      [
        'FieldValueInvalid spec.a: Invalid value: 0: spec.a in body should be greater than or equal to 1',
        'FieldValueInvalid spec: Invalid value: failed rule: self.a > 0',
      ],
    ],
  ])('%s', (_, spec, value, expected) => {
    expect(causes(spec, value)).toEqual(expected);
  });
});

describe('transition rules', () => {
  const immutable = rules({ rule: 'self == oldSelf', message: 'immutable' });
  const spec = object({
    zone: string(immutable),
    keyed: listMap(object({ name: string(), v: int64(immutable) }), ['name']),
    atomic: list(object({ v: int64() }, immutable)),
    whole: { ...list(string()), ...immutable },
    map: map(int64(immutable)),
    once: string(
      rules({
        rule: 'oldSelf.hasValue() || self == "first"',
        optionalOldSelf: true,
        message: 'starts with first',
      }),
    ),
    frozen: { ...object({ a: string(immutable) }), 'x-kubernetes-map-type': 'atomic' },
  });

  test.each<[string, Json, Json | undefined, string[]]>([
    ['do not run on create', { zone: 'b' }, undefined, []],
    ['run on update', { zone: 'b' }, { zone: 'a' }, ['spec.zone']],
    ['pass when nothing changes', { zone: 'a' }, { zone: 'a' }, []],
    ['do not run when the field is new', { zone: 'a' }, {}, []],
    ['do not run when the field is removed', {}, { zone: 'a' }, []],
    [
      'match items by key',
      {
        keyed: [
          { name: 'y', v: 9 },
          { name: 'x', v: 1 },
        ],
      },
      {
        keyed: [
          { name: 'x', v: 1 },
          { name: 'y', v: 2 },
        ],
      },
      ['spec.keyed[0].v'],
    ],
    ['ignore new items', { keyed: [{ name: 'z', v: 9 }] }, { keyed: [{ name: 'x', v: 1 }] }, []],
    ['never run on items of atomic lists', { atomic: [{ v: 2 }] }, { atomic: [{ v: 1 }] }, []],
    ['run on an atomic list as a whole', { whole: ['b'] }, { whole: ['a'] }, ['spec.whole']],
    ['run on map values', { map: { a: 1, b: 2 } }, { map: { a: 1, b: 1 } }, ['spec.map[b]']],
    ['run inside atomic maps', { frozen: { a: 'b' } }, { frozen: { a: 'a' } }, ['spec.frozen.a']],
    ['with an optional old value run on create', { once: 'second' }, undefined, ['spec.once']],
    ['with an optional old value receive the old value', { once: 'second' }, { once: 'first' }, []],
  ])('%s', (_, value, old, fields) => {
    const found = compileSchema(object({ spec })).validate(
      resource(value),
      old === undefined ? undefined : resource(old),
    );
    expect(found.map((cause) => cause.field)).toEqual(fields);
  });

  test('do not include rules without oldSelf, which are not enforced on unchanged values', () => {
    const bounded = object({ a: int64(rules('self > 1')), b: int64() });
    expect(causes(bounded, { a: 0, b: 2 }, { a: 0, b: 1 })).toEqual([]);
    expect(causes(bounded, { a: 1, b: 2 }, { a: 0, b: 1 })).toHaveLength(1);
  });
});
