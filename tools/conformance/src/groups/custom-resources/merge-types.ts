import { expect } from 'expect';
import { cause, objectOf, text, type Cases, type Fields } from './definition.js';
import { at, property } from './schemas.js';

/** Rules about the list types and map types of a schema. */
export const mergeTypeCases: Cases = {
  'requires list-map keys to be required or defaulted scalar properties of the items': async (scope) => {
    const list = (items: Fields, keys: string[] = ['name']) =>
      property(scope, {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': keys,
        items,
      });
    expect(await list(objectOf({ name: text }, { required: ['name'] }))).toEqual([]);
    expect(await list(objectOf({ name: { ...text, default: 'x' } }))).toEqual([]);
    expect(await list(objectOf({ name: text }))).toEqual([
      cause(
        `${at('a')}.items.properties[name].default`,
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        'FieldValueRequired',
      ),
    ]);
    expect(await list(objectOf({ id: text }))).toEqual([
      cause(`${at('a')}.x-kubernetes-list-map-keys`, 'entries must all be names of item properties'),
    ]);
    expect(await list(objectOf({ name: text }, { required: ['name'] }), [])).toEqual([
      cause(
        `${at('a')}.x-kubernetes-list-map-keys`,
        'must not be empty if x-kubernetes-list-type is map',
        'FieldValueRequired',
      ),
    ]);
    expect(await list(objectOf({ name: { type: 'object' } }, { required: ['name'] }))).toEqual([
      cause(
        `${at('a')}.items.properties[name].type`,
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
      ),
    ]);
    expect(await list(text)).toContainEqual(
      cause(`${at('a')}.items.type`, "must be object if parent array's x-kubernetes-list-type is map"),
    );
  },

  'refuses list types that do not fit the schema': async (scope) => {
    const list = (type: string, items: Fields) =>
      property(scope, { type: 'array', 'x-kubernetes-list-type': type, items });
    expect(await list('bag', text)).toEqual([
      cause(
        `${at('a')}.x-kubernetes-list-type`,
        'supported values: "atomic", "set", "map"',
        'FieldValueNotSupported',
      ),
    ]);
    expect(await list('set', objectOf({ b: text }))).toEqual([
      cause(
        `${at('a')}.items.x-kubernetes-map-type`,
        'must be atomic as item of a list with x-kubernetes-list-type=set',
      ),
    ]);
    expect(await list('set', { ...text, nullable: true })).toEqual([
      cause(
        `${at('a')}.items.nullable`,
        'cannot be nullable when x-kubernetes-list-type is set',
        'FieldValueForbidden',
      ),
    ]);
    expect(await property(scope, { ...text, 'x-kubernetes-list-type': 'set' })).toEqual([
      cause(`${at('a')}.type`, 'must be array if x-kubernetes-list-type is specified'),
    ]);
    expect(await list('set', objectOf({ b: text }, { 'x-kubernetes-map-type': 'atomic' }))).toEqual([]);
    expect(await list('set', text)).toEqual([]);
  },

  'refuses map types that do not fit the schema': async (scope) => {
    expect(await property(scope, objectOf({ b: text }, { 'x-kubernetes-map-type': 'loose' }))).toEqual([
      cause(
        `${at('a')}.x-kubernetes-map-type`,
        'supported values: "atomic", "granular"',
        'FieldValueNotSupported',
      ),
    ]);
    expect(await property(scope, { ...text, 'x-kubernetes-map-type': 'atomic' })).toEqual([
      cause(`${at('a')}.type`, 'must be object if x-kubernetes-map-type is specified'),
    ]);
    expect(await property(scope, objectOf({ b: text }, { 'x-kubernetes-map-type': 'granular' }))).toEqual([]);
  },
};
