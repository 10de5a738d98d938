import { describe, expect, it } from '@jest/globals';
import { boolean, int32, intOrString, list, map, object, string } from '../schema/dsl.js';
import type { Json, Schema } from '../schema/types.js';
import { DecodeError, goDecode } from './go-decode.js';

function problemOf(value: Json, schema: Schema): DecodeError {
  try {
    goDecode({ field: value }, object({ field: schema }), 'Thing');
  } catch (error) {
    if (error instanceof DecodeError) return error;
  }
  throw new Error('the value is decoded');
}

describe('goDecode', () => {
  it.each<[string, Json, Schema, string]>([
    ['number', 1, string(), 'string'],
    ['string', 'x', int32(), 'int32'],
    ['bool', true, list(string()), '[]string'],
    ['array', [], map(string()), 'map[string]interface {}'],
  ])('refuses a %s like %j for a field of another type', (kind, value, schema, type) => {
    expect(problemOf(value, schema).message).toBe(
      `json: cannot unmarshal ${kind} into Go struct field Thing.field of type ${type}`,
    );
  });

  it.each<[Json, Schema, string]>([
    ['x', int32(), 'unrecognized type: int32'],
    [1.5, int32(), 'cannot convert float64 to int32'],
    [1, string(), 'cannot convert int64 to string'],
    [1.5, string(), 'unrecognized type: string'],
    [true, string(), 'unrecognized type: string'],
    ['yes', boolean(), 'unrecognized type: bool'],
    ['x', list(string()), 'cannot restore slice from string'],
    [{}, list(string()), 'cannot restore slice from map'],
    [[], map(string()), 'cannot restore map from slice'],
    ['x', object({}), 'cannot restore struct from: string'],
    [true, intOrString(), 'json: cannot unmarshal bool into Go value of type int32'],
  ])('refuses %j in a strategic merge patch with the error of the conversion', (value, schema, message) => {
    expect(problemOf(value, schema).conversionMessage).toBe(message);
  });
});
