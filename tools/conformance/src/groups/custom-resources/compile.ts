import { expect } from 'expect';
import type { StatusCause } from '../../suite/body.js';
import type { Scope } from '../../suite/scope.js';
import { cause, check, objectOf, text, whole, type Cases, type Fields } from './definition.js';

const root = 'spec.validation.openAPIV3Schema';
const rulesAt = `${root}.properties[spec].x-kubernetes-validations`;
const properties = {
  name: { ...text, maxLength: 10 },
  count: whole,
  tags: { type: 'array', items: text },
  any: { type: 'object' },
};

/** Validates a definition whose spec has these rules in a dry run. */
function rules(scope: Scope, ...list: Fields[]): Promise<StatusCause[]> {
  return check(scope, { spec: objectOf(properties, { 'x-kubernetes-validations': list }) });
}

const factor = (name: string, times: string): string =>
  `${name} exceeds budget by factor of ${times} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;

/** Rules about `x-kubernetes-validations` as the server checks them in a definition. */
export const compileCases: Cases = {
  'refuses rules that do not compile with the message of the compiler': async (scope) => {
    const failures = {
      'self.nope > 1':
        "compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope > 1\n | ....^",
      'other == 1':
        "compilation failed: ERROR: <input>:1:1: undeclared reference to 'other' (in container '')\n | other == 1\n | ^",
      'self.name + 1 == 2':
        "compilation failed: ERROR: <input>:1:11: found no matching overload for '_+_' applied to '(string, int)'\n | self.name + 1 == 2\n | ..........^",
      'self.name.nope()':
        "compilation failed: ERROR: <input>:1:15: undeclared reference to 'nope' (in container '')\n | self.name.nope()\n | ..............^",
      'self.count.startsWith(1)': "found no matching overload for 'startsWith' applied to 'int.(int)'",
      "self.count == 'x'": "found no matching overload for '_==_' applied to '(int, string)'",
      'self.any.x == 1': "undefined field 'x'",
      'self.count >': 'compilation failed: ERROR: <input>:1:13: Syntax error: ',
    };
    for (const [rule, message] of Object.entries(failures)) {
      expect(await rules(scope, { rule })).toEqual([cause(`${rulesAt}[0].rule`, message)]);
    }
    expect(await rules(scope, { rule: 'self.count > 1' })).toEqual([]);
  },

  'refuses rules that are not boolean': async (scope) => {
    const message = 'cel expression must evaluate to a bool';
    expect(
      await rules(scope, { rule: 'self.name' }, { rule: 'self.count > 1' }, { rule: 'self.count + 1' }),
    ).toEqual([cause(`${rulesAt}[0].rule`, message), cause(`${rulesAt}[2].rule`, message)]);
    expect(await rules(scope, { rule: 'true' })).toEqual([]);
  },

  'shows the whole rule as the value of the cause': async (scope) => {
    const [only] = await rules(scope, {
      rule: 'self.name',
      message: 'm',
      fieldPath: '.name',
      reason: 'FieldValueForbidden',
    });
    expect(only?.message).toBe(
      'Invalid value: {"Rule":"self.name","Message":"m","MessageExpression":"","Reason":"FieldValueForbidden","FieldPath":".name","OptionalOldSelf":null}: cel expression must evaluate to a bool',
    );
  },

  'refuses a message expression that does not compile or is not a string': async (scope) => {
    const expression = (messageExpression: string) =>
      rules(scope, { rule: 'self.count > 1', messageExpression });
    expect(await expression('self.nope')).toEqual([
      cause(
        `${rulesAt}[0].messageExpression`,
        "messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'nope'",
      ),
    ]);
    expect(await expression('self.count')).toEqual([
      cause(`${rulesAt}[0].messageExpression`, 'messageExpression must evaluate to a string'),
    ]);
    expect(await expression('string(self.count)')).toEqual([]);
  },

  'refuses a rule without text, and a message of several lines': async (scope) => {
    expect(await rules(scope, { rule: ' ' })).toContainEqual(
      cause(`${rulesAt}[0].rule`, 'Required value', 'FieldValueRequired'),
    );
    expect(await rules(scope, { rule: 'true', message: 'one\ntwo' })).toContainEqual(
      cause(`${rulesAt}[0].message`, 'must not contain line breaks'),
    );
    expect(await rules(scope, { rule: 'true', message: ' ' })).toContainEqual(
      cause(`${rulesAt}[0].message`, 'must be non-empty if specified'),
    );
    expect(await rules(scope, { rule: "self.name !=\n'x'", message: 'one line' })).toEqual([]);
    expect(await rules(scope, { rule: "self.name !=\n'x'" })).toEqual([
      cause(
        `${rulesAt}[0].message`,
        'message must be specified if rule contains line breaks',
        'FieldValueRequired',
      ),
    ]);
  },

  'refuses a reason and a field path that it does not know': async (scope) => {
    const rule = 'self.count > 1';
    expect(await rules(scope, { rule, reason: 'Nonsense' })).toEqual([
      cause(`${rulesAt}[0].reason`, 'Unsupported value: "Nonsense"', 'FieldValueNotSupported'),
    ]);
    for (const fieldPath of ['.nope', 'name', '.tags[0]', '.']) {
      expect(await rules(scope, { rule, fieldPath })).toEqual([
        cause(`${rulesAt}[0].fieldPath`, 'must be a valid path'),
      ]);
    }
    expect(await rules(scope, { rule, fieldPath: '.count', reason: 'FieldValueInvalid' })).toEqual([]);
  },

  'refuses optionalOldSelf without oldSelf': async (scope) => {
    expect(await rules(scope, { rule: 'self.count > 1', optionalOldSelf: true })).toEqual([
      cause(`${rulesAt}[0].optionalOldSelf`, 'may not be set if oldSelf is not used in rule'),
    ]);
    expect(
      await rules(scope, { rule: 'oldSelf.hasValue() || self.count > 1', optionalOldSelf: true }),
    ).toEqual([]);
  },

  'refuses oldSelf where old values cannot be found': async (scope) => {
    const items = { ...text, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] };
    const list = (more: Fields) =>
      check(scope, { spec: objectOf({ list: { type: 'array', maxItems: 5, items, ...more } }) });
    const at = `${root}.properties[spec].properties[list].items.x-kubernetes-validations[0].rule`;
    const message = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${root}.properties[spec].properties[list]`;
    expect(await list({})).toEqual([cause(at, message)]);
    expect(await list({ 'x-kubernetes-list-type': 'set' })).toEqual([cause(at, message)]);
    const map = { type: 'object', maxProperties: 5, additionalProperties: items };
    expect(await check(scope, { spec: objectOf({ map }) })).toEqual([]);
  },

  'refuses a rule whose estimated cost exceeds the budget': async (scope) => {
    const tags = { type: 'array', items: text };
    const rule = 'self.all(a, self.all(b, a == b))';
    const spec = (schema: Fields) =>
      check(scope, { spec: objectOf({ tags: { ...schema, 'x-kubernetes-validations': [{ rule }] } }) });
    const at = `${root}.properties[spec].properties[tags].x-kubernetes-validations[0].rule`;
    expect(await spec(tags)).toEqual([
      cause(at, factor('estimated rule cost', 'more than 100x'), 'FieldValueForbidden'),
      cause(
        at,
        'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
        'FieldValueForbidden',
      ),
      cause(
        root,
        factor(
          'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema',
          'more than 100x',
        ),
        'FieldValueForbidden',
      ),
    ]);
    expect(await spec({ ...tags, maxItems: 10, items: { ...text, maxLength: 20 } })).toEqual([]);
  },

  'names the factor by which a rule exceeds the budget of its cost': async (scope) => {
    const item = { ...text, maxLength: 10, 'x-kubernetes-validations': [{ rule: "self.contains('abc')" }] };
    const spec = (maxItems: number) =>
      check(scope, { spec: objectOf({ list: { type: 'array', maxItems, items: item } }) });
    const at = `${root}.properties[spec].properties[list].items.x-kubernetes-validations[0].rule`;
    expect(await spec(1_000_000)).toEqual([]);
    expect(await spec(10_000_000)).toContainEqual(
      cause(at, factor('estimated rule cost', '5.0x'), 'FieldValueForbidden'),
    );
  },

  'adds up the estimated costs of all rules of a schema': async (scope) => {
    const item = { ...text, maxLength: 10, 'x-kubernetes-validations': [{ rule: "self.contains('abc')" }] };
    const list = { type: 'array', maxItems: 1_900_000, items: item };
    const spec = (count: number) => {
      const lists = Array.from({ length: count }, (_, index) => [`list${index}`, list]);
      return check(scope, { spec: objectOf(Object.fromEntries(lists) as Fields) });
    };
    expect(await spec(3)).toEqual([]);
    const causes = await spec(12);
    expect(causes.at(-1)).toEqual(
      cause(
        root,
        'estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.',
        'FieldValueForbidden',
      ),
    );
    expect(causes.slice(0, -1).map(({ message }) => message)).toEqual(
      Array.from({ length: 4 }, () => expect.stringContaining('contributed to estimated rule cost total')),
    );
  },
};
