import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cloneJson } from './json.js';
import type { Json, JsonObject } from './types.js';

describe('a copy of a JSON value', () => {
  it('is equal to it, and shares no part with it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const copy = cloneJson(value as Json);
        expect(JSON.stringify(copy)).toBe(text);
        for (const part of partsOf(copy)) expect(partsOf(value as Json)).not.toContain(part);
      }),
    );
  });

  it('can have the key `__proto__`', () => {
    const value = JSON.parse('{"__proto__": {"admin": true}}') as JsonObject;
    const copy = cloneJson(value);
    expect(Object.keys(copy)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true}}');
  });
});

/** Returns the objects and lists of a value. */
function partsOf(value: Json): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}
