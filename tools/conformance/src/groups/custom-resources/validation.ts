import { cause, objectOf, text, whole, type Cases } from './definition.js';
import { samples, type, unplaced } from './samples.js';

/** Rules about the validation of objects by value. */
export const validationCases: Cases = {
  'refuses values of another type than that of the schema': samples({
    str: {
      schema: text,
      good: 'x',
      bad: 1,
      causes: [cause('spec.str', 'spec.str in body must be of type string: "integer"', type)],
    },
    num: {
      schema: { type: 'number' },
      good: 1.5,
      bad: 'x',
      causes: [cause('spec.num', 'must be of type number: "string"', type)],
    },
    whole: {
      schema: whole,
      good: 3,
      bad: 1.5,
      causes: [
        cause('spec.whole', 'must be of type integer: "number"', type),
        unplaced('Checked value must be of type integer (default format) in spec.whole'),
      ],
    },
    flag: {
      schema: { type: 'boolean' },
      good: false,
      bad: 'false',
      causes: [cause('spec.flag', 'must be of type boolean: "string"', type)],
    },
    list: {
      schema: { type: 'array', items: text },
      good: ['x'],
      bad: { a: 1 },
      causes: [cause('spec.list', 'must be of type array: "object"', type)],
    },
    map: {
      schema: { type: 'object' },
      good: {},
      bad: [],
      causes: [cause('spec.map', 'must be of type object: "array"', type)],
    },
  }),

  'names the index of a list item and the key of a map value that is wrong': samples({
    list: {
      schema: { type: 'array', items: objectOf({ size: whole }) },
      good: [{ size: 1 }, { size: 2 }],
      bad: [{ size: 1 }, { size: 'x' }],
      causes: [
        cause('spec.list[1].size', 'spec.list[1].size in body must be of type integer: "string"', type),
      ],
    },
    map: {
      schema: { type: 'object', additionalProperties: whole },
      good: { one: 1 },
      bad: { one: 1, two: 'x' },
      causes: [cause('spec.map.two', 'spec.map.two in body must be of type integer: "string"', type)],
    },
  }),

  'refuses values that an enum does not list': samples({
    size: {
      schema: { ...text, enum: ['S', 'M'] },
      good: 'S',
      bad: 'L',
      causes: [
        cause('spec.size', 'Unsupported value: "L": supported values: "S", "M"', 'FieldValueNotSupported'),
      ],
    },
    count: {
      schema: { ...whole, enum: [1, 2] },
      good: 2,
      bad: 3,
      causes: [
        cause('spec.count', 'Unsupported value: 3: supported values: "1", "2"', 'FieldValueNotSupported'),
      ],
    },
  }),

  'refuses strings by length and pattern': samples({
    long: {
      schema: { ...text, maxLength: 3 },
      good: 'äöü',
      bad: 'abcd',
      causes: [cause('spec.long', 'Too long: may not be more than 3 bytes', 'FieldValueTooLong')],
    },
    short: {
      schema: { ...text, minLength: 2 },
      good: 'ab',
      bad: 'a',
      causes: [cause('spec.short', 'spec.short in body should be at least 2 chars long')],
    },
    word: {
      schema: { ...text, pattern: '^[a-z]+$' },
      good: 'abc',
      bad: 'A1',
      causes: [cause('spec.word', "spec.word in body should match '^[a-z]+$'")],
    },
    part: {
      schema: { ...text, pattern: 'b' },
      good: 'abc',
      bad: 'ac',
      causes: [cause('spec.part', "spec.part in body should match 'b'")],
    },
  }),

  'refuses numbers out of bounds': samples({
    min: {
      schema: { ...whole, minimum: 1 },
      good: 1,
      bad: 0,
      causes: [cause('spec.min', 'spec.min in body should be greater than or equal to 1')],
    },
    max: {
      schema: { ...whole, maximum: 5 },
      good: 5,
      bad: 6,
      causes: [cause('spec.max', 'spec.max in body should be less than or equal to 5')],
    },
    above: {
      schema: { type: 'number', minimum: 1, exclusiveMinimum: true },
      good: 1.1,
      bad: 1,
      causes: [cause('spec.above', 'spec.above in body should be greater than 1')],
    },
    below: {
      schema: { type: 'number', maximum: 1, exclusiveMaximum: true },
      good: 0.9,
      bad: 1,
      causes: [cause('spec.below', 'spec.below in body should be less than 1')],
    },
    step: {
      schema: { ...whole, multipleOf: 3 },
      good: 9,
      bad: 10,
      causes: [cause('spec.step', 'spec.step in body should be a multiple of 3')],
    },
  }),

  'refuses lists and maps by their size': samples({
    few: {
      schema: { type: 'array', minItems: 2, items: whole },
      good: [1, 2],
      bad: [1],
      causes: [cause('spec.few', 'spec.few in body should have at least 2 items')],
    },
    many: {
      schema: { type: 'array', maxItems: 1, items: whole },
      good: [1],
      bad: [1, 2],
      causes: [cause('spec.many', 'Too many: 2: must have at most 1 item', 'FieldValueTooMany')],
    },
    empty: {
      schema: { type: 'object', minProperties: 1, additionalProperties: whole },
      good: { a: 1 },
      bad: {},
      causes: [cause('spec.empty', 'spec.empty in body should have at least 1 properties')],
    },
    full: {
      schema: { type: 'object', maxProperties: 1, additionalProperties: whole },
      good: { a: 1 },
      bad: { a: 1, b: 2 },
      causes: [cause('spec.full', 'Too many: 2: must have at most 1 item', 'FieldValueTooMany')],
    },
  }),

  'refuses values that break anyOf, oneOf, allOf or not': samples({
    any: {
      schema: { ...whole, anyOf: [{ maximum: 1 }, { minimum: 9 }] },
      good: 9,
      bad: 5,
      causes: [
        unplaced('"spec.any" must validate at least one schema (anyOf)'),
        cause('spec.any', 'spec.any in body should be less than or equal to 1'),
      ],
    },
    one: {
      schema: { ...whole, oneOf: [{ minimum: 1 }, { minimum: 5 }] },
      good: 3,
      bad: 7,
      causes: [
        unplaced('"spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives'),
      ],
    },
    none: {
      schema: { ...whole, oneOf: [{ minimum: 10 }, { minimum: 20 }] },
      good: 10,
      bad: 1,
      causes: [
        unplaced('"spec.none" must validate one and only one schema (oneOf). Found none valid'),
        cause('spec.none', 'spec.none in body should be greater than or equal to 10'),
      ],
    },
    all: {
      schema: { ...whole, allOf: [{ minimum: 1 }, { maximum: 3 }] },
      good: 2,
      bad: 4,
      causes: [
        cause('spec.all', 'spec.all in body should be less than or equal to 3'),
        unplaced('"spec.all" must validate all the schemas (allOf)'),
      ],
    },
    not: {
      schema: { ...text, not: { pattern: '^x' } },
      good: 'y',
      bad: 'xy',
      causes: [unplaced('"spec.not" must not validate the schema (not)')],
    },
  }),

  'refuses fields that additionalProperties forbid': samples({
    closed: {
      schema: { type: 'object', additionalProperties: false },
      good: {},
      bad: { a: 1 },
      causes: [cause('spec.closed', 'spec.closed.a in body is a forbidden property')],
    },
  }),
};
