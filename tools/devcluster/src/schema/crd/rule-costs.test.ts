import { describe, expect, it } from '@jest/globals';
import { boolean, double, int64, intOrString, list, map, object, string } from '../dsl.js';
import type { JsonObject, Schema } from '../types.js';
import { ruleBudget } from './cel-rules.js';
import { ruleCosts } from './rule-costs.js';
import { boxSchema, costCases } from './testing/cost-cases.js';
import { definitionOf } from './testing/definition.js';
import { validateCustomResourceDefinition } from './validate.js';

const withRule = (schema: Schema, ...rules: string[]): Schema => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => ({ rule })),
});
const costOf = (spec: Schema): number | undefined => ruleCosts(definitionOf(spec))[0]?.rules[0]?.cost;
const messages = (definition: JsonObject): string[] =>
  validateCustomResourceDefinition(definition).map(({ message }) => message.replace(/ \(try simpl.*/, ''));

describe('the estimated cost of a rule', () => {
  it.each(costCases)('%s costs %d', (rule, cost) => {
    const estimated = costOf(withRule(boxSchema, rule));
    expect(estimated === undefined || estimated < 2 ** 53 ? estimated : Infinity).toBe(cost);
  });

  /* A search reads a tenth of a unit for each character, and a step costs one. */
  it.each<[string, Schema, number]>([
    ['a maximum of characters of four bytes', string({ maxLength: 10 }), 5],
    ['the longest value of an enumeration', string({ enum: ['a', 'bb', 'äöü'] }), 2],
    ['the limit of a request, for a string without a limit', string(), 314_574],
    [
      'the limit of a request, for an unbounded string with a pattern',
      string({ pattern: '^a{1,3}$' }),
      314_574,
    ],
  ])('follows from the size of a string: %s', (_, schema, cost) => {
    expect(costOf(withRule(schema, 'self.contains("abc")'))).toBe(cost);
  });

  /* Each element costs five: two for the loop, three for the comparison. */
  it.each<[string, Schema, number]>([
    ['maxItems', list(string(), { maxItems: 7 }), 7],
    ['the strings that a request can contain', list(string()), 1_048_575],
    ['the numbers that a request can contain', list(int64()), 1_572_863],
    ['the bools that a request can contain', list(boolean()), 629_145],
    ['the times that a request can contain', list(string({ format: 'date-time' })), 142_987],
    [
      'the objects with required fields that a request can contain',
      list(object({ ab: double(), c: int64() }, { required: ['ab'] })),
      314_572,
    ],
    ['maxProperties', map(string(), { maxProperties: 3 }), 3],
    ['the entries that a request can contain', map(intOrString()), 449_389],
  ])('follows from the number of elements: %s', (_, schema, count) => {
    const loop = 'self.all(x, true)';
    expect(costOf(withRule(schema, loop))).toBe(count * 3 + 2);
  });

  it.each<[string, Schema, number]>([
    [
      'the limits of the lists and maps that contain it',
      list(map(withRule(string(), 'self == "a"'), { maxProperties: 5 }), { maxItems: 4 }),
      40,
    ],
    [
      'the number of items that a request can contain when a list has no limit',
      list(withRule(string({ maxLength: 9 }), 'self == "a"')),
      2_097_152,
    ],
  ])('is multiplied by %s', (_, schema, cost) => {
    expect(costOf(schema)).toBe(cost);
  });
});

describe('the check of the limits', () => {
  const searching = (maxItems: number): Schema =>
    list(withRule(string({ maxLength: 1000 }), 'self.contains("x")'), { maxItems });

  it.each<[number, string[]]>([
    [24_937, []],
    [24_938, ['Forbidden: estimated rule cost exceeds budget by factor of 1.000014x']],
    [30_000, ['Forbidden: estimated rule cost exceeds budget by factor of 1.203000x']],
    [100_000, ['Forbidden: estimated rule cost exceeds budget by factor of 4.0x']],
  ])('returns the correct causes for a rule that costs 401 in a list of %d items', (maxItems, expected) => {
    expect(messages(definitionOf(searching(maxItems)))).toEqual(expected);
  });

  it('rounds a half to the even digit', () => {
    const rule = withRule(int64(), 'self + 1 > 2');
    const factor = (maxItems: number): string[] => messages(definitionOf(list(rule, { maxItems })));
    const excess = 'Forbidden: estimated rule cost exceeds budget by factor of';
    expect(factor(20_750_000 / 3 + 250_000 / 3)).toEqual([`${excess} 2.1x`]);
    expect(factor(7_500_000)).toEqual([`${excess} 2.2x`]);
  });

  it('names the four most expensive rules of a schema that costs too much, the most expensive first', () => {
    const properties = [1, 6, 3, 5, 2, 4].map((n): [string, Schema] => [`f${n}`, searching(n * 24_000)]);
    const found = validateCustomResourceDefinition(definitionOf(object(Object.fromEntries(properties))));
    const contributed = found.filter(({ message }) => message.includes('contributed to'));
    expect(contributed.map(({ field }) => /properties\[(f\d)\]/.exec(field)?.[1])).toEqual([
      'f6',
      'f5',
      'f4',
      'f3',
    ]);
    expect(found.at(-1)?.message).toContain('for entire OpenAPIv3 schema exceeds budget by factor of 2.0x');
  });

  it('uses the exported limits', () => {
    expect(ruleBudget).toEqual({ each: 10_000_000, total: 100_000_000 });
  });
});
