import { expect } from 'expect';
import type { StatusCause } from '../../suite/body.js';
import type { Scope } from '../../suite/scope.js';
import { cause, check, define, objectOf, text, whole, type Cases, type Fields } from './definition.js';

const root = 'spec.validation.openAPIV3Schema';
export const at = (property: string): string => `${root}.properties[spec].properties[${property}]`;

/** Validates a definition with one property in `.spec` in a dry run. */
export function property(scope: Scope, schema: Fields): Promise<StatusCause[]> {
  return check(scope, { spec: objectOf({ a: schema }) });
}

/** Rules about the structural schemas of definitions. */
export const schemaCases: Cases = {
  'requires a type for the root and for every property and item of a schema': async (scope) => {
    expect(await check(scope, { schema: { properties: { spec: { type: 'object' } } } })).toEqual([
      cause(`${root}.type`, 'must not be empty at the root', 'FieldValueRequired'),
    ]);
    expect(await property(scope, { description: 'no type' })).toEqual([
      cause(`${at('a')}.type`, 'must not be empty for specified object fields', 'FieldValueRequired'),
    ]);
    expect(await property(scope, { type: 'array', items: {} })).toEqual([
      cause(`${at('a')}.items.type`, 'must not be empty for specified array items', 'FieldValueRequired'),
    ]);
    expect(await property(scope, { type: 'object', additionalProperties: {} })).toEqual([
      cause(
        `${at('a')}.additionalProperties.type`,
        'must not be empty for specified object fields',
        'FieldValueRequired',
      ),
    ]);
    expect(await property(scope, { type: 'array', items: text })).toEqual([]);
  },

  'requires the root of a schema to be an object': async (scope) => {
    expect(await check(scope, { schema: { type: 'array', items: text } })).toContainEqual(
      cause(`${root}.type`, 'must be object at the root'),
    );
    expect(await check(scope, { schema: { type: 'object' } })).toEqual([]);
  },

  'refuses a type that JSON Schema does not have': async (scope) => {
    expect(await property(scope, { type: 'text' })).toContainEqual(
      cause(`${at('a')}.type`, 'supported values', 'FieldValueNotSupported'),
    );
    for (const type of ['string', 'integer', 'number', 'boolean', 'object']) {
      expect(await property(scope, { type })).toEqual([]);
    }
  },

  'requires the items of an array': async (scope) => {
    expect(await property(scope, { type: 'array' })).toEqual([
      cause(`${at('a')}.items`, 'must be specified', 'FieldValueRequired'),
    ]);
    expect(await property(scope, { type: 'array', items: whole })).toEqual([]);
  },

  'needs no type where unknown fields are preserved or integers and strings are allowed': async (scope) => {
    expect(await property(scope, { 'x-kubernetes-preserve-unknown-fields': true })).toEqual([]);
    expect(await property(scope, { 'x-kubernetes-int-or-string': true })).toEqual([]);
    expect(await property(scope, { 'x-kubernetes-preserve-unknown-fields': false })).not.toEqual([]);
  },

  'refuses x-kubernetes-int-or-string where unknown fields are preserved': async (scope) => {
    const intOrString = { 'x-kubernetes-int-or-string': true };
    expect(await property(scope, { ...intOrString, 'x-kubernetes-preserve-unknown-fields': true })).toEqual([
      cause(
        `${at('a')}.x-kubernetes-preserve-unknown-fields`,
        'must be false if x-kubernetes-int-or-string is true',
      ),
    ]);
    expect(await property(scope, { ...intOrString, anyOf: [whole, text] })).toEqual([]);
    expect(
      await property(scope, { ...intOrString, allOf: [{ anyOf: [whole, text] }, { minLength: 1 }] }),
    ).toEqual([]);
    expect(await property(scope, { anyOf: [whole, text] })).toContainEqual(
      cause(`${at('a')}.type`, 'must not be empty for specified object fields', 'FieldValueRequired'),
    );
  },

  'requires an embedded resource to be an object with fields or to preserve unknown ones': async (scope) => {
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true };
    expect(await property(scope, embedded)).toEqual([
      cause(
        `${at('a')}.properties`,
        'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
        'FieldValueRequired',
      ),
    ]);
    expect(await property(scope, { ...embedded, 'x-kubernetes-preserve-unknown-fields': true })).toEqual([]);
    expect(await property(scope, { ...embedded, properties: { spec: { type: 'object' } } })).toEqual([]);
    expect(await property(scope, { ...text, 'x-kubernetes-embedded-resource': true })).toContainEqual(
      cause(`${at('a')}.type`, 'must be object if x-kubernetes-embedded-resource is true'),
    );
  },

  'refuses to describe metadata beyond its name': async (scope) => {
    const metadata = (schema: Fields) => check(scope, { schema: objectOf({ metadata: schema }) });
    expect(await metadata(objectOf({ labels: { type: 'object' } }))).toEqual([
      cause(
        `${root}.properties[metadata]`,
        'must not specify anything other than name and generateName, but metadata is implicitly specified',
        'FieldValueForbidden',
      ),
    ]);
    expect(await metadata(objectOf({ name: { type: 'string', maxLength: 10 } }))).toEqual([]);
    expect(await metadata({ type: 'object' })).toEqual([]);
  },

  'refuses types, defaults and descriptions inside of junctors': async (scope) => {
    const keywords = { type: 'string', default: 'x', description: 'x', nullable: true };
    for (const [keyword, value] of Object.entries(keywords)) {
      expect(await property(scope, { ...text, allOf: [{ [keyword]: value }] })).toContainEqual(
        cause(`${at('a')}.allOf[0].${keyword}`, 'to be structural', 'FieldValueForbidden'),
      );
    }
    expect(await property(scope, { ...text, allOf: [{ minLength: 1 }] })).toEqual([]);
  },

  'refuses a property that only a junctor of the root describes': async (scope) => {
    const anyOf = [objectOf({ spec: { properties: { b: { minLength: 1 } } } })].map(({ properties }) => ({
      properties,
    }));
    const schema = (properties: Fields) =>
      check(scope, { schema: objectOf({ spec: objectOf(properties) }, { anyOf }) });
    expect(await schema({ a: text })).toEqual([
      cause(
        `${root}.properties[spec].properties[b]`,
        `because it is defined in ${root}.anyOf[0].properties[spec].properties[b]`,
        'FieldValueRequired',
      ),
    ]);
    expect(await schema({ a: text, b: text })).toEqual([]);
  },

  'accepts a property that only a junctor below the root describes': async (scope) => {
    const junctor = { anyOf: [{ properties: { b: { minLength: 1 } } }] };
    expect(await check(scope, { spec: objectOf({ a: text }, junctor) })).toEqual([]);
    expect(await check(scope, { spec: { ...junctor, properties: { a: text } } })).not.toEqual([]);
  },

  'refuses properties together with additionalProperties': async (scope) => {
    const schema = { type: 'object', properties: { b: text }, additionalProperties: text };
    expect(await property(scope, schema)).toContainEqual(
      cause(
        `${at('a')}.additionalProperties`,
        'additionalProperties and properties are mutual exclusive',
        'FieldValueForbidden',
      ),
    );
    expect(await property(scope, { type: 'object', additionalProperties: text })).toEqual([]);
  },

  'refuses keywords that structural schemas leave out': async (scope) => {
    const keywords = {
      uniqueItems: [true, 'uniqueItems cannot be set to true'],
      $ref: ['#/x', '$ref is not supported'],
    };
    for (const [keyword, [value, message]] of Object.entries(keywords)) {
      expect(await property(scope, { type: 'array', items: text, [keyword]: value })).toContainEqual(
        cause(`${at('a')}.${keyword}`, String(message), 'FieldValueForbidden'),
      );
    }
    expect(await property(scope, { type: 'object', patternProperties: { a: text } })).toContainEqual(
      cause(`${at('a')}.patternProperties`, 'patternProperties is not supported', 'FieldValueForbidden'),
    );
    expect(await property(scope, { type: 'array', items: text, uniqueItems: false })).toEqual([]);
  },

  'refuses additionalProperties at the root': async (scope) => {
    expect(await check(scope, { schema: { type: 'object', additionalProperties: text } })).toEqual([
      cause(`${root}.additionalProperties`, 'must not be used at the root', 'FieldValueForbidden'),
    ]);
    expect(await property(scope, { type: 'object', additionalProperties: true })).toEqual([]);
    expect(await property(scope, { type: 'object', additionalProperties: false })).toEqual([]);
  },

  'refuses a pattern that is not a regular expression of RE2': async (scope) => {
    expect(await property(scope, { ...text, pattern: '(?!a)' })).toEqual([
      cause(`${at('a')}.pattern`, "must be a valid regular expression, but isn't"),
    ]);
    expect(await property(scope, { ...text, pattern: '^[a-z]+$' })).toEqual([]);
  },

  'refuses a default that its schema does not accept': async (scope) => {
    expect(await property(scope, { ...whole, default: 'many' })).toEqual([
      cause(`${at('a')}.default`, 'must be of type integer: "string"', 'FieldValueTypeInvalid'),
    ]);
    expect(await property(scope, { ...whole, minimum: 3, default: 2 })).toEqual([
      cause(`${at('a')}.default`, 'should be greater than or equal to 3'),
    ]);
    expect(await property(scope, { ...text, enum: ['x'], default: 'y' })).toEqual([
      cause(`${at('a')}.default`, 'supported values: "x"', 'FieldValueNotSupported'),
    ]);
    expect(await property(scope, objectOf({ b: whole }, { default: { b: 'x' } }))).toEqual([
      cause(`${at('a')}.default.b`, 'must be of type integer', 'FieldValueTypeInvalid'),
    ]);
    expect(await property(scope, { ...whole, minimum: 3, default: 3 })).toEqual([]);
  },

  'refuses a default with fields that would be pruned': async (scope) => {
    const schema = objectOf({ b: text }, { default: { b: 'x', c: 1 } });
    expect(await property(scope, schema)).toEqual([
      cause(`${at('a')}.default`, 'must not have unknown fields'),
    ]);
    expect(await property(scope, { ...schema, default: { b: 'x' } })).toEqual([]);
  },

  'refuses a default that breaks a rule of its schema': async (scope) => {
    const schema = {
      ...whole,
      'x-kubernetes-validations': [{ rule: 'self % 2 == 0', message: 'must be even' }],
    };
    expect(await property(scope, { ...schema, default: 3 })).toEqual([
      cause(`${at('a')}.default`, 'must be even'),
    ]);
    expect(await property(scope, { ...schema, default: 4 })).toEqual([]);
  },

  'names each version in the causes when their schemas differ': async (scope) => {
    const of = (schema: Fields) => ({
      schema: { openAPIV3Schema: objectOf({ spec: objectOf({ a: schema }) }) },
    });
    const versions = [
      { name: 'v1', ...of(text) },
      { name: 'v2', storage: false, ...of({ type: 'array' }) },
    ];
    expect(await check(scope, { versions })).toEqual([
      cause(
        'spec.versions[1].schema.openAPIV3Schema.properties[spec].properties[a].items',
        'must be specified',
        'FieldValueRequired',
      ),
    ]);
  },

  'refuses an update of a definition to a schema that is not structural': async (scope) => {
    const widgets = await define(scope, { spec: objectOf({ a: text }) });
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/b';
    const add = (value: Fields) => scope.api.patch(widgets.definition, 'json', [{ op: 'add', path, value }]);
    const { status, body } = await add({ type: 'array' });
    expect(status).toBe(422);
    expect(body.details?.causes).toEqual([
      cause(`${at('b')}.items`, 'must be specified', 'FieldValueRequired'),
    ]);
    expect((await add({ type: 'boolean' })).status).toBe(200);
  },
};
