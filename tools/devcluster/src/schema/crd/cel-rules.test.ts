import { describe, expect, it } from '@jest/globals';
import { atomic, int64, list, map, object, string } from '../dsl.js';
import type { Schema, ValidationRule } from '../types.js';
import { definitionOf } from './testing/definition.js';
import { validateCustomResourceDefinition } from './validate.js';

const withRule = (schema: Schema, rule: ValidationRule): Schema => ({
  ...schema,
  'x-kubernetes-validations': [rule],
});
const causes = (schema: Schema): string[] =>
  validateCustomResourceDefinition(definitionOf(schema)).map(
    ({ field, message }) =>
      `${field.replace(/^.*properties\[spec\]\.?/, '')}: ${message.replace(/\{"Rule.*?\}: /, '')}`,
  );
const rule = 'x-kubernetes-validations[0].rule';

describe('a rule that cannot be prepared', () => {
  it.each([
    ['int("a") == 1', "type conversion error from 'string' to 'int'"],
    ['int("9223372036854775808") == 1', "type conversion error from 'string' to 'int'"],
    ['uint("-1") == 1u', "type conversion error from 'string' to 'uint'"],
    ['uint(-1) == 1u', 'unsigned integer overflow'],
    ['int(1e20) == 1', 'integer overflow'],
    ['double("x") == 1.0', "type conversion error from 'string' to 'double'"],
    ['bool("yes")', "type conversion error from 'string' to 'bool'"],
    ['bool(string(b"yes"))', "type conversion error from 'string' to 'bool'"],
    [
      'duration(string(true)) == duration("1s")',
      "type conversion error from 'string' to 'google.protobuf.Duration'",
    ],
    ['timestamp(string(1)) > timestamp(1)', 'invalid RFC 3339 timestamp "1"'],
    ['timestamp(int(duration("9999h"))) > timestamp(1)', 'timestamp overflow'],
    ['self.find("(") == ""', 'error parsing regexp: missing closing ): `(`'],
    ['self.findAll(")") == []', 'error parsing regexp: unexpected ): `)`'],
  ])('%s is refused', (source, problem) => {
    expect(causes(withRule(string({ maxLength: 9 }), { rule: source }))).toEqual([
      `${rule}: Invalid value: program instantiation failed: ${problem}`,
    ]);
  });

  it.each([
    'int("+7") == 7',
    'double("1e3") > 1.0',
    'bool("T")',
    'string(1u) == "1"',
    'int(timestamp(1)) == 1',
    'self.find(self) == ""',
  ])('%s is accepted, because it cannot fail', (source) => {
    expect(causes(withRule(string({ maxLength: 9 }), { rule: source }))).toEqual([]);
  });

  it('is refused for its messageExpression, with the path of that field', () => {
    const message = { rule: 'true', messageExpression: 'string(int("a"))' };
    expect(causes(withRule(string({ maxLength: 9 }), message))).toEqual([
      "x-kubernetes-validations[0].messageExpression: Invalid value: messageExpression instantiation failed: type conversion error from 'string' to 'int'",
    ]);
  });
});

describe('a rule', () => {
  const immutable = { rule: 'self == oldSelf' };

  it.each<[string, Schema, string[]]>([
    ['inside an atomic map may use the old value', atomic(object({ a: withRule(int64(), immutable) })), []],
    ['inside a map may use the old value', map(withRule(int64(), immutable), { maxProperties: 3 }), []],
    [
      'inside a list may not use the old value',
      list(withRule(int64(), immutable), { maxItems: 3 }),
      [
        `items.${rule}: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec]`,
      ],
    ],
    [
      'that does not return a bool is not treated as a use of the old value',
      withRule(int64(), { rule: 'oldSelf', optionalOldSelf: true }),
      [
        `${rule}: Invalid value: cel expression must evaluate to a bool`,
        'x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
      ],
    ],
    [
      'of values without a type cannot be checked',
      withRule({ 'x-kubernetes-preserve-unknown-fields': true }, { rule: 'true' }),
      [
        'x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
      ],
    ],
    [
      'must not be empty',
      withRule(int64(), { message: 'no rule' } as ValidationRule),
      [`${rule}: Required value: rule is not specified`],
    ],
    [
      'must have a field path that exists, without spaces',
      withRule(object({ a: int64() }), { rule: 'true', fieldPath: ' ' }),
      ['must be non-empty if specified', 'must be a valid path'].map(
        (detail) => `x-kubernetes-validations[0].fieldPath: Invalid value: " ": ${detail}`,
      ),
    ],
  ])('%s', (_, schema, expected) => {
    expect(causes(schema)).toEqual(expected);
  });
});
