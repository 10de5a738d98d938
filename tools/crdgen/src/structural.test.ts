import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { structuralSchema } from './structural.js';

describe('structuralSchema', () => {
  it('keeps bounds that a schema states, and drops the bounds of a safe integer', () => {
    expect(structuralSchema(z.object({ n: z.int().min(1), m: z.int() }), 'X')).toEqual({
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1 }, m: { type: 'integer' } },
      required: ['n', 'm'],
    });
  });

  it('describes a time by its format alone', () => {
    expect(structuralSchema(z.iso.datetime(), 'X')).toEqual({ type: 'string', format: 'date-time' });
  });

  it('does not require a field that has a default', () => {
    expect(structuralSchema(z.object({ a: z.string().default('x') }), 'X')).toEqual({
      type: 'object',
      properties: { a: { type: 'string', default: 'x' } },
    });
  });

  it('converts a record to additionalProperties', () => {
    expect(structuralSchema(z.record(z.string(), z.string()), 'X')).toEqual({
      type: 'object',
      additionalProperties: { type: 'string' },
    });
  });

  it.each([
    ['a union of types', z.object({ a: z.union([z.string(), z.int()]) }), 'X.a: anyOf is not structural'],
    ['a lookahead', z.object({ a: z.string().regex(/(?=x)/) }), 'X.a: RE2 has no lookaround'],
  ])('refuses %s', (_what, schema, message) => {
    expect(() => structuralSchema(schema, 'X')).toThrow(message);
  });
});
