import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { list, object, string } from '../dsl.js';
import type { Cause, Schema, ValidationRule } from '../types.js';
import { ruleBudget } from './cel-rules.js';
import { ruleCosts } from './rule-costs.js';
import { boxSchema, costCases } from './testing/cost-cases.js';
import { definitionOf } from './testing/definition.js';
import { CrdOracle } from './testing/oracle.js';
import { validateCustomResourceDefinition } from './validate.js';

const folder = process.env['INTERLOCK_CRD_ORACLE'];
if (folder === undefined) {
  const missing = 'INTERLOCK_CRD_ORACLE does not name a folder with the programs start and stop';
  process.stdout.write(`skipped: a real server for CustomResourceDefinitions: ${missing}\n`);
}
const describeWithOracle: typeof describe.skip = folder === undefined ? describe.skip : describe;
const crds = new URL('../../../../../charts/interlock-crds/crds/', import.meta.url);
const startTimeoutMs = 120_000;

const withRules = (schema: Schema, ...rules: ValidationRule[]): Schema => ({
  ...schema,
  'x-kubernetes-validations': rules,
});

/**
 * Returns the schema of a list with so many values that the rules slightly exceed the limit, so that the response
 * contains the cost with seven digits.
 */
function overBudget(schema: Schema): Schema {
  const cost = ruleCosts(definitionOf(schema))[0]?.total ?? 0;
  return list(schema, { maxItems: cost === 0 ? 1 : Math.ceil((1.2 * ruleBudget.each) / cost) });
}

/** Returns comparable causes. Objects without a name have random names, and properties have any order. */
function comparable(causes: readonly Cause[]): string[] {
  return causes
    .map(({ field, reason, message }) => `${field} ${reason} ${message.replace(/selfType\d*/g, 'selfType')}`)
    .sort();
}

const nested = list(list(string()));
const refused: readonly (readonly [string, Schema])[] = [
  [
    'a field that does not exist',
    withRules(boxSchema, { rule: 'self.nope == 1 || self.zones.all(z, z.nope)' }),
  ],
  [
    'names that are not declared',
    withRules(boxSchema, { rule: 'other || zork(self.name) || self.name.zork()' }),
  ],
  [
    'types that do not agree',
    withRules(boxSchema, { rule: 'self.name + 1 == "a" && self.zones == 3 && "b"' }),
  ],
  ['a range that is not a list', withRules(boxSchema, { rule: 'self.name.all(c, c) || self.all(x, true)' })],
  ['a macro without a variable', withRules(boxSchema, { rule: 'self.tags.map(1, 2) == []' })],
  [
    'literals that do not parse',
    withRules(boxSchema, { rule: 'duration("x") < duration("1s") && "a".matches("(")' }),
  ],
  ['lists of mixed types', withRules(boxSchema, { rule: '[1, "a"] == [] || {"a": 1, 2: "b"} == {}' })],
  ['a format that does not fit', withRules(boxSchema, { rule: '"%d %s".format([self.name, 1, 2]) == ""' })],
  ['a constant that cannot be converted', withRules(boxSchema, { rule: 'int("a1") == 1' })],
  ['a rule that is not a bool', withRules(boxSchema, { rule: 'self.name', optionalOldSelf: true })],
  ['a message that is not text', withRules(boxSchema, { rule: 'true', messageExpression: 'self.sizes' })],
  [
    'a message that costs too much',
    withRules(boxSchema, {
      rule: 'true',
      messageExpression: 'self.note + string(self.note.contains(self.note))',
    }),
  ],
  ['a path that leads nowhere', withRules(boxSchema, { rule: 'true', fieldPath: '.x', message: ' ' })],
  ['a schema without a type', withRules({ 'x-kubernetes-preserve-unknown-fields': true }, { rule: 'true' })],
  [
    'an old value in an atomic list',
    list(withRules(boxSchema, { rule: 'self == oldSelf' }), { maxItems: 3 }),
  ],
  [
    'loops over what nothing bounds',
    withRules(nested, { rule: 'self.all(a, a.all(b, self.exists(c, b in c)))' }),
  ],
  [
    'rules that cost too much together',
    object(
      Object.fromEntries(
        [7, 3, 9, 5, 8, 6].map((n) => [
          `f${n}`,
          list(withRules(string({ maxLength: 1000 }), { rule: 'self.contains("x")' }), {
            maxItems: n * 24_000,
          }),
        ]),
      ),
    ),
  ],
];

describeWithOracle('a real server for CustomResourceDefinitions', () => {
  let oracle: CrdOracle;
  beforeAll(async () => {
    oracle = await CrdOracle.start(folder ?? '');
  }, startTimeoutMs);
  afterAll(() => oracle.stop());

  it.each(readdirSync(crds))('accepts charts/interlock-crds/crds/%s', async (name) => {
    expect(await oracle.judge(readFileSync(new URL(name, crds), 'utf8'))).toEqual({
      status: 201,
      causes: [],
    });
  });

  it.each(costCases)('estimates the same cost for %s', async (rule) => {
    const definition = definitionOf(overBudget(withRules(boxSchema, { rule })));
    const { causes } = await oracle.judge(JSON.stringify(definition));
    expect(comparable(validateCustomResourceDefinition(definition))).toEqual(comparable(causes));
  });

  it.each(refused)('refuses %s with the same text', async (_, schema) => {
    const definition = definitionOf(schema);
    const { status, causes } = await oracle.judge(JSON.stringify(definition));
    expect(status).toBe(422);
    expect(comparable(validateCustomResourceDefinition(definition))).toEqual(comparable(causes));
  });
});
