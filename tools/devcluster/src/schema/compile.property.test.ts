import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compileSchema } from './compile.js';
import { anyObject, boolean, int64, list, listMap, map, object, oneOf, string } from './dsl.js';
import { cloneJson } from './json.js';
import type { Json, JsonObject, Schema } from './types.js';

const scalar: fc.Arbitrary<Schema> = fc.oneof(
  fc
    .record({ nullable: fc.boolean(), preset: fc.option(fc.constantFrom('a', 'b')) })
    .map(({ nullable, preset }) => string({ nullable, ...(preset === null ? {} : { default: preset }) })),
  fc
    .option(fc.integer({ min: 0, max: 9 }))
    .map((preset) => int64({ maximum: 9, ...(preset === null ? {} : { default: preset }) })),
  fc.constant(boolean({ default: true })),
  fc.constant(oneOf(['x', 'y'], { default: 'x' })),
);

const { schema: schemas } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.constant(anyObject()),
    tie('schema').map((items) => list(items)),
    tie('schema').map((items) => map(items)),
    fc.constant(listMap(object({ name: string({ default: 'n' }), v: int64() }), ['name'])),
    fc
      .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('schema'), { maxKeys: 4 })
      .chain((properties) => fc.constantFrom(object(properties), { ...object(properties), default: {} })),
  ),
}));

const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Json[]>(null, true, 3, 12, 'x', 'a'),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'name', 'v'), tie('json'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
}));

const cases = fc.tuple(
  fc
    .dictionary(fc.constantFrom('spec', 'status', 'a'), schemas, { maxKeys: 3 })
    .map((properties) => object(properties)),
  fc.dictionary(fc.constantFrom('spec', 'status', 'a', 'kind', 'metadata'), json, { noNullPrototype: true }),
);

describe('properties of compiled schemas', () => {
  test('pruning is idempotent', () => {
    fc.assert(
      fc.property(cases, ([schema, object]) => {
        const compiled = compileSchema(schema);
        const value = cloneJson<JsonObject>(object);
        compiled.prune(value);
        const once = cloneJson(value);
        expect(compiled.prune(value)).toEqual([]);
        expect(value).toEqual(once);
      }),
    );
  });

  test('defaulting is idempotent', () => {
    fc.assert(
      fc.property(cases, ([schema, object]) => {
        const compiled = compileSchema(schema);
        const value = cloneJson<JsonObject>(object);
        compiled.applyDefaults(value);
        const once = cloneJson(value);
        compiled.applyDefaults(value);
        expect(value).toEqual(once);
      }),
    );
  });

  test('a valid object without duplicates stays valid when it is pruned and defaulted', () => {
    let valid = 0;
    fc.assert(
      fc.property(cases, ([schema, object]) => {
        const compiled = compileSchema(schema);
        const value = cloneJson<JsonObject>(object);
        if (compiled.validate(value).length > 0) return;
        valid += 1;
        compiled.prune(value);
        compiled.applyDefaults(value);
        expect(compiled.validate(value).filter((cause) => cause.reason !== 'FieldValueDuplicate')).toEqual(
          [],
        );
      }),
      { numRuns: 500 },
    );
    expect(valid).toBeGreaterThan(20);
  });
});
