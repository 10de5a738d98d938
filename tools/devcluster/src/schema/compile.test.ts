import { describe, expect, test } from '@jest/globals';
import { compileSchema } from './compile.js';
import {
  anyObject,
  boolean,
  dateTime,
  int64,
  intOrString,
  list,
  listMap,
  map,
  object,
  oneOf,
  quantity,
  setList,
  string,
} from './dsl.js';
import type { Cause, Json, JsonObject, Schema } from './types.js';

const kind = (spec: Schema): Schema => object({ spec });
const resource = (spec: Json, extra: JsonObject = {}): JsonObject => ({
  apiVersion: 'test.dev/v1',
  kind: 'Box',
  metadata: { name: 'a' },
  ...extra,
  spec,
});
const causes = (spec: Schema, value: Json, old?: Json): string[] =>
  compileSchema(kind(spec))
    .validate(resource(value), old === undefined ? undefined : resource(old))
    .map((cause: Cause) => `${cause.reason} ${cause.field}: ${cause.message}`);

describe('pruning', () => {
  const schema = kind(
    object({
      name: string(),
      items: list(object({ id: string() })),
      labels: map(object({ on: boolean() })),
      free: anyObject({ properties: { known: object({ a: string() }) } } as object),
      inner: { ...anyObject(), 'x-kubernetes-embedded-resource': true },
    }),
  );

  test('returns the sorted paths of removed fields as the API server does, and keeps the other fields', () => {
    const value = resource(
      {
        z: 1,
        name: 'n',
        items: [{ id: 'i' }, { id: 'j', extra: {} }],
        labels: { x: { on: true, off: false } },
        free: { any: { thing: 1 }, known: { a: 'a', b: 'b' } },
        inner: { kind: 'K', metadata: { name: 'n', x: 1 }, data: 1 },
      },
      { status: {} },
    );
    expect(compileSchema(schema).prune(value)).toEqual([
      'spec.free.known.b',
      'spec.inner.metadata.x',
      'spec.items[1].extra',
      'spec.labels.x.off',
      'spec.z',
      'status',
    ]);
    expect(value).toEqual(
      resource({
        name: 'n',
        items: [{ id: 'i' }, { id: 'j' }],
        labels: { x: { on: true } },
        free: { any: { thing: 1 }, known: { a: 'a' } },
        inner: { kind: 'K', metadata: { name: 'n' }, data: 1 },
      }),
    );
  });

  test('removes fields that are named like members of Object.prototype', () => {
    const value = resource({ constructor: 1, name: 'n' });
    expect(compileSchema(schema).prune(value)).toEqual(['spec.constructor']);
  });
});

describe('defaulting', () => {
  const schema = object({
    spec: object({
      color: string({ default: 'red' }),
      note: string({ default: 'none', nullable: true }),
      plain: string(),
      nested: object({ size: int64({ default: 1 }) }),
      made: object({ size: int64({ default: 2 }) }, { default: {} }),
      ports: list(object({ port: int64({ default: 80 }) })),
      labels: map(string({ default: 'x' })),
    }),
  });
  const defaulted = (spec: Json): Json => {
    const value = resource(spec);
    compileSchema(schema).applyDefaults(value);
    return value['spec'] ?? null;
  };

  test.each<[string, Json, Json]>([
    ['sets absent fields to their defaults', {}, { color: 'red', note: 'none', made: { size: 2 } }],
    [
      'treats null as absent in a field that is not nullable',
      { color: null },
      { color: 'red', note: 'none', made: { size: 2 } },
    ],
    ['keeps null in a nullable field', { note: null }, { color: 'red', note: null, made: { size: 2 } }],
    ['removes null without a default', { plain: null }, { color: 'red', note: 'none', made: { size: 2 } }],
    [
      'sets absent fields of an existing object to their defaults',
      { nested: {} },
      { color: 'red', note: 'none', nested: { size: 1 }, made: { size: 2 } },
    ],
    [
      'sets absent fields of items to their defaults',
      { ports: [{}, { port: 1 }] },
      { color: 'red', note: 'none', made: { size: 2 }, ports: [{ port: 80 }, { port: 1 }] },
    ],
    [
      'replaces null in a map with the default',
      { labels: { a: null } },
      { color: 'red', note: 'none', made: { size: 2 }, labels: { a: 'x' } },
    ],
  ])('%s', (_, spec, expected) => {
    expect(defaulted(spec)).toEqual(expected);
  });

  test('copies a default, and does not share it', () => {
    const first = resource({});
    const compiled = compileSchema(schema);
    compiled.applyDefaults(first);
    ((first['spec'] as JsonObject)['made'] as JsonObject)['size'] = 9;
    const second = resource({});
    compiled.applyDefaults(second);
    expect(second['spec']).toEqual({ color: 'red', note: 'none', made: { size: 2 } });
  });
});

describe('validation', () => {
  const typed = (message: string, field = 'spec.f'): string =>
    `FieldValueTypeInvalid ${field}: Invalid value: ${message}`;
  const bad = (message: string, field = 'spec.f'): string =>
    `FieldValueInvalid ${field}: Invalid value: ${message}`;

  test.each<[string, Schema, Json, string[]]>([
    ['a value of the right type', string(), 'x', []],
    [
      'a value of the wrong type',
      string(),
      1,
      [typed('"integer": spec.f in body must be of type string: "integer"')],
    ],
    [
      'a fraction for an integer',
      int64(),
      1.5,
      [
        typed('"number": spec.f in body must be of type integer: "number"'),
        'FieldValueInvalid <nil>: Invalid value: "": Checked value must be of type integer with format int64 in spec.f',
      ],
    ],
    ['a whole number for an integer', int64(), 2, []],
    ['null', string(), null, [typed('"null": spec.f in body must be of type string: "null"')]],
    ['null in a nullable field', string({ nullable: true }), null, []],
    [
      'a list for a map',
      map(string()),
      [],
      [typed('"array": spec.f in body must be of type object: "array"')],
    ],
    ['an integer for int-or-string', intOrString(), 1, []],
    ['a string for int-or-string', intOrString(), '1', []],
    [
      'enum',
      oneOf(['a', 'b']),
      'c',
      ['FieldValueNotSupported spec.f: Unsupported value: "c": supported values: "a", "b"'],
    ],
    [
      'minLength',
      string({ minLength: 2 }),
      'é',
      [bad('"é": spec.f in body should be at least 2 chars long')],
    ],
    ['a length in characters, not bytes', string({ maxLength: 2 }), '😀😀', []],
    [
      'maxLength',
      string({ maxLength: 1 }),
      'ab',
      ['FieldValueTooLong spec.f: Too long: may not be more than 1 bytes'],
    ],
    ['a pattern that matches a part of the value', string({ pattern: 'b+' }), 'abc', []],
    [
      'pattern',
      string({ pattern: '^\\d+$' }),
      'a',
      [bad(String.raw`"a": spec.f in body should match '^\d+$'`)],
    ],
    ['quantity', quantity(), '500Mi', []],
    [
      'a value that is not a quantity',
      quantity(),
      'lots',
      [bad(`"lots": spec.f in body should match '${quantity().pattern ?? ''}'`)],
    ],
    ['minimum', int64({ minimum: 3 }), 2, [bad('2: spec.f in body should be greater than or equal to 3')]],
    [
      'exclusiveMinimum',
      int64({ minimum: 3, exclusiveMinimum: true }),
      3,
      [bad('3: spec.f in body should be greater than 3')],
    ],
    ['maximum', int64({ maximum: 3 }), 4, [bad('4: spec.f in body should be less than or equal to 3')]],
    [
      'exclusiveMaximum',
      int64({ maximum: 3, exclusiveMaximum: true }),
      3,
      [bad('3: spec.f in body should be less than 3')],
    ],
    ['multipleOf', int64({ multipleOf: 2 }), 3, [bad('3: spec.f in body should be a multiple of 2')]],
    [
      'minItems',
      list(string(), { minItems: 1 }),
      [],
      [bad('0: spec.f in body should have at least 1 items')],
    ],
    [
      'maxItems',
      list(string(), { maxItems: 1 }),
      ['a', 'b'],
      ['FieldValueTooMany spec.f: Too many: 2: must have at most 1 item'],
    ],
    [
      'maxProperties',
      map(string(), { maxProperties: 0 }),
      { a: 'b' },
      ['FieldValueTooMany spec.f: Too many: 1: must have at most 0 items'],
    ],
    [
      'minProperties',
      map(string(), { minProperties: 1 }),
      {},
      [bad('0: spec.f in body should have at least 1 properties')],
    ],
    [
      'items',
      list(object({ n: int64() })),
      [{}, { n: 'x' }],
      [typed('"string": spec.f[1].n in body must be of type integer: "string"', 'spec.f[1].n')],
    ],
    [
      'required',
      object({ a: string() }, { required: ['a'] }),
      {},
      ['FieldValueRequired spec.f.a: Required value'],
    ],
    [
      'date-time',
      dateTime(),
      '2026-02-30T00:00:00Z',
      [typed('"2026-02-30T00:00:00Z": spec.f in body must be of type date-time: "2026-02-30T00:00:00Z"')],
    ],
    [
      'a number for a date-time',
      dateTime(),
      5,
      [typed('"int64": spec.f in body must be of type date-time: "int64"')],
    ],
    ['an unknown format, which is ignored', string({ format: 'zip' }), 'x', []],
    ['set', setList(string()), ['a', 'b', 'a', 'a'], ['FieldValueDuplicate spec.f[2]: Duplicate value: "a"']],
    [
      'a map list with a repeated key',
      listMap(object({ k: string(), l: string() }), ['k', 'l']),
      [
        { k: 'a', l: 'b' },
        { l: 'b', k: 'a' },
      ],
      ['FieldValueDuplicate spec.f[1]: Duplicate value: {"k":"a","l":"b"}'],
    ],
    [
      'anyOf',
      { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      [
        bad('"": "spec.f" must validate at least one schema (anyOf)', '<nil>'),
        'FieldValueRequired spec.f.a: Required value',
      ],
    ],
    [
      'a oneOf of which no schema matches',
      { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      [
        bad('"": "spec.f" must validate one and only one schema (oneOf). Found none valid', '<nil>'),
        'FieldValueRequired spec.f.a: Required value',
      ],
    ],
    [
      'a oneOf of which two schemas match',
      {
        type: 'object',
        additionalProperties: { type: 'string' },
        oneOf: [{ required: ['a'] }, { required: ['b'] }],
      },
      { a: '', b: '' },
      [
        bad(
          '"": "spec.f" must validate one and only one schema (oneOf). Found 2 valid alternatives',
          '<nil>',
        ),
      ],
    ],
    [
      'allOf',
      { type: 'integer', allOf: [{ minimum: 1 }, { maximum: 5 }] },
      9,
      [
        bad('9: spec.f in body should be less than or equal to 5'),
        bad('"": "spec.f" must validate all the schemas (allOf)', '<nil>'),
      ],
    ],
    [
      'not',
      { type: 'string', not: { enum: ['x'] } },
      'x',
      [bad('"": "spec.f" must not validate the schema (not)', '<nil>')],
    ],
    [
      'an embedded resource',
      { ...anyObject(), 'x-kubernetes-embedded-resource': true },
      { kind: 'K' },
      ['FieldValueRequired spec.f.apiVersion: Required value'],
    ],
  ])('returns the causes of the API server: %s', (_, field, value, expected) => {
    expect(causes(object({ f: field }), { f: value })).toEqual(expected);
  });

  test('reports all causes of an object together', () => {
    const spec = object({ a: string(), b: int64({ maximum: 1 }) }, { required: ['c' as 'a'] });
    expect(causes(spec, { a: 1, b: 2 })).toEqual([
      typed('"integer": spec.a in body must be of type string: "integer"', 'spec.a'),
      bad('2: spec.b in body should be less than or equal to 1', 'spec.b'),
      'FieldValueRequired spec.c: Required value',
    ]);
  });

  test('checks metadata.name if the schema contains it', () => {
    const schema = object({ metadata: object({ name: string({ maxLength: 3 }) }) });
    const named = (name: string): JsonObject => ({
      apiVersion: 'v1',
      kind: 'K',
      metadata: { name, labels: { a: 'b' } },
    });
    expect(compileSchema(schema).validate(named('abc'))).toEqual([]);
    expect(compileSchema(schema).validate(named('abcd'))).toMatchObject([
      { field: 'metadata.name', reason: 'FieldValueTooLong' },
    ]);
  });

  describe('ratcheting', () => {
    const spec = object({
      f: string({ maxLength: 1 }),
      g: int64(),
      ports: listMap(object({ name: string(), p: int64({ maximum: 1 }) }), ['name']),
      tags: setList(string()),
      list: list(object({ p: int64({ maximum: 1 }) })),
    });
    test.each<[string, Json, Json, number]>([
      ['tolerates an unchanged error', { f: 'ab', g: 1 }, { f: 'ab', g: 2 }, 0],
      ['does not tolerate a changed error', { f: 'abc' }, { f: 'ab' }, 1],
      [
        'matches an item of a map list by its keys',
        {
          ports: [
            { name: 'b', p: 1 },
            { name: 'a', p: 9 },
          ],
        },
        { ports: [{ name: 'a', p: 9 }] },
        0,
      ],
      ['does not match an item of an atomic list', { list: [{ p: 9 }, { p: 1 }] }, { list: [{ p: 9 }] }, 1],
      ['tolerates existing duplicates', { tags: ['a', 'a', 'b'] }, { tags: ['a', 'a'] }, 0],
      ['does not tolerate new duplicates', { tags: ['a', 'a'] }, { tags: ['a'] }, 1],
    ])('%s', (_, value, old, count) => {
      expect(causes(spec, value, old)).toHaveLength(count);
    });
  });
});
