import { describe, expect, test } from '@jest/globals';
import { defaultCustomResourceDefinition } from './default.js';
import { validateCustomResourceDefinition } from './validate.js';
import type { CrdSpec, CrdVersion, CustomResourceDefinition } from './model.js';
import { anyObject, int64, intOrString, list, listMap, map, object, setList, string } from '../dsl.js';
import { cloneJson } from '../json.js';
import type { JsonObject, Schema, ValidationRule } from '../types.js';

const schema = 'spec.validation.openAPIV3Schema';
const spec = `${schema}.properties[spec]`;

const version = (spec: Schema, extra: CrdVersion = {}): CrdVersion => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: object({ spec }) },
  ...extra,
});
const crd = (spec: Partial<CrdSpec> = {}, extra: CustomResourceDefinition = {}): JsonObject => {
  const definition: CustomResourceDefinition = {
    metadata: { name: 'boxes.test.dev' },
    spec: {
      group: 'test.dev',
      scope: 'Namespaced',
      names: { plural: 'boxes', kind: 'Box' },
      versions: [version(object({ size: int64() }))],
      ...spec,
    },
    ...extra,
  };
  defaultCustomResourceDefinition(definition);
  return JSON.parse(JSON.stringify(definition)) as JsonObject;
};
const withSpec = (spec: Schema): JsonObject => crd({ versions: [version(spec)] });
const withRoot = (root: Schema): JsonObject =>
  crd({ versions: [version({}, { schema: { openAPIV3Schema: root } })] });
const causes = (definition: JsonObject, old?: JsonObject): string[] =>
  validateCustomResourceDefinition(definition, old).map(
    ({ reason, field, message }) => `${reason} ${field}: ${message}`,
  );
const rule = (...rules: ValidationRule[]): Partial<Schema> => ({ 'x-kubernetes-validations': rules });

test('sets the defaults of the names and the conversion', () => {
  expect(crd()).toMatchObject({
    spec: { names: { singular: 'box', listKind: 'BoxList' }, conversion: { strategy: 'None' } },
  });
});

test('returns no causes for a valid definition', () => {
  expect(causes(crd())).toEqual([]);
});

describe('the definition itself', () => {
  const label =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
  test.each<[string, JsonObject, unknown[]]>([
    [
      'its name',
      crd({}, { metadata: { name: 'x.test.dev' } }),
      [
        'FieldValueInvalid metadata.name: Invalid value: "x.test.dev": must be spec.names.plural+"."+spec.group',
      ],
    ],
    [
      'group',
      crd({ group: 'dev' }, { metadata: { name: 'boxes.dev' } }),
      ['FieldValueInvalid spec.group: Invalid value: "dev": should be a domain with at least one dot'],
    ],
    [
      'scope',
      crd({ scope: 'Global' }),
      [
        'FieldValueNotSupported spec.scope: Unsupported value: "Global": supported values: "Cluster", "Namespaced"',
      ],
    ],
    [
      'names',
      crd({ names: { plural: 'boxes', kind: 'Box', shortNames: ['B'] } }),
      [`FieldValueInvalid spec.names.shortNames[0]: Invalid value: "B": ${label}`],
    ],
    [
      'missing names',
      crd({ names: { plural: 'boxes' } }),
      ['singular', 'kind', 'listKind'].map((name) => `FieldValueRequired spec.names.${name}: Required value`),
    ],
    [
      'kind and list kind',
      crd({ names: { plural: 'boxes', kind: 'Box', listKind: 'Box' } }),
      ['FieldValueInvalid spec.names.listKind: Invalid value: "Box": kind and listKind may not be the same'],
    ],
    [
      'version name',
      crd({ versions: [version(int64(), { name: '1' })] }),
      [`FieldValueInvalid spec.versions[0].name: Invalid value: "1": ${label}`],
    ],
    [
      'no schema',
      crd({ versions: [{ name: 'v1', served: true, storage: true }] }),
      ['FieldValueRequired spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required'],
    ],
    [
      'no storage version',
      crd({ versions: [version(int64(), { storage: false })] }),
      [
        expect.stringMatching(
          /^FieldValueInvalid spec\.versions: Invalid value: \[\{"Name":"v1","Served":true,"Storage":false,.*\}\]: must have exactly one version marked as storage version$/,
        ),
      ],
    ],
    [
      'versions with the same name',
      crd({ versions: [version(int64()), version(string(), { storage: false })] }),
      [expect.stringContaining('must contain unique version names')],
    ],
    [
      'protected group',
      crd({ group: 'x.k8s.io' }, { metadata: { name: 'boxes.x.k8s.io' } }),
      [
        expect.stringContaining(
          'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation',
        ),
      ],
    ],
    [
      'unknown conversion',
      crd({ conversion: { strategy: 'Magic' } }),
      [
        'FieldValueNotSupported spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"',
      ],
    ],
    [
      'webhook conversion without a client',
      crd({ conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } } }),
      [
        'FieldValueRequired spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
      ],
    ],
    [
      'scale',
      crd({ versions: [version(int64(), { subresources: { scale: { specReplicasPath: '.replicas' } } })] }),
      [
        'FieldValueInvalid spec.subresources.scale.specReplicasPath: Invalid value: ".replicas": should be a json path under .spec',
        'FieldValueRequired spec.subresources.scale.statusReplicasPath: Required value',
      ],
    ],
    [
      'columns',
      crd({
        versions: [
          version(int64(), { additionalPrinterColumns: [{ name: 'A', type: 'text', jsonPath: 'a' }] }),
        ],
      }),
      [
        'FieldValueInvalid spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
        'FieldValueInvalid spec.additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .',
      ],
    ],
    [
      'selectable fields',
      crd({
        versions: [
          version(object({ a: object({}), b: string() }), {
            selectableFields: [
              { jsonPath: '.spec.a' },
              { jsonPath: '.spec.c' },
              { jsonPath: '.spec.b' },
              { jsonPath: '.spec.b' },
            ],
          }),
        ],
      }),
      [
        'FieldValueInvalid spec.selectableFields[0].jsonPath: Invalid value: ".spec.a": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        'FieldValueInvalid spec.selectableFields[1].jsonPath: Invalid value: ".spec.c": is an invalid path: does not refer to a valid field',
        'FieldValueDuplicate spec.selectableFields[3].jsonPath: Duplicate value: ".spec.b"',
      ],
    ],
    [
      'a value of the wrong JSON type',
      { ...crd(), spec: { names: 'x' } },
      [
        'FieldValueTypeInvalid spec.names: Invalid value: "string": spec.names in body must be of type object: "string"',
      ],
    ],
  ])('is checked: %s', (_, definition, expected) => {
    expect(causes(definition)).toEqual(expected);
  });
});

describe('structural schemas', () => {
  test.each<[string, JsonObject, unknown[]]>([
    [
      'require types',
      withRoot({ properties: { spec: { properties: { l: { type: 'array', items: {} } } } } } as Schema),
      [
        `FieldValueRequired ${spec}.properties[l].items.type: Required value: must not be empty for specified array items`,
        `FieldValueRequired ${spec}.type: Required value: must not be empty for specified object fields`,
        `FieldValueRequired ${schema}.type: Required value: must not be empty at the root`,
      ],
    ],
    ['do not require a type for int-or-string', withSpec(object({ p: intOrString() })), []],
    [
      'allow int-or-string in allOf',
      withSpec(
        object({
          p: {
            'x-kubernetes-int-or-string': true,
            allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { pattern: 'x' }],
          },
        }),
      ),
      [],
    ],
    [
      'require items for lists',
      withSpec({ type: 'array' }),
      [`FieldValueRequired ${spec}.items: Required value: must be specified`],
    ],
    [
      'do not allow types and descriptions in junctors',
      withSpec({ type: 'string', anyOf: [{ type: 'string', description: 'x' }] }),
      [
        `FieldValueForbidden ${spec}.anyOf[0].description: Forbidden: must be empty to be structural`,
        `FieldValueForbidden ${spec}.anyOf[0].type: Forbidden: must be empty to be structural`,
      ],
    ],
    [
      'do not allow junctors of the root with unknown fields',
      withRoot({
        ...object({ spec: object({}) }),
        oneOf: [{ properties: { spec: { properties: { a: { minimum: 1 } } } } }],
      }),
      [
        `FieldValueRequired ${spec}.properties[a]: Required value: because it is defined in spec.validation.openAPIV3Schema.oneOf[0].properties[spec].properties[a]`,
      ],
    ],
    [
      'do not allow restrictions of metadata other than names',
      withRoot(object({ metadata: object({ labels: map(string()) }) })),
      [
        `FieldValueForbidden ${schema}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
      ],
    ],
    [
      'allow restrictions of the name in metadata',
      withRoot(object({ metadata: object({ name: string({ maxLength: 9 }) }) })),
      [],
    ],
    [
      'require fields for embedded resources',
      withSpec({ type: 'object', 'x-kubernetes-embedded-resource': true }),
      [
        `FieldValueRequired ${spec}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
      ],
    ],
    [
      'require patterns that compile',
      withSpec(string({ pattern: '(' })),
      [
        expect.stringContaining(
          `${spec}.pattern: Invalid value: "(": must be a valid regular expression, but isn't: `,
        ),
      ],
    ],
  ])('%s', (_, definition, expected) => {
    expect(causes(definition)).toEqual(expected);
  });
});

describe('the use of OpenAPI', () => {
  const item = object({ k: string() });
  test.each<[string, JsonObject, unknown[]]>([
    [
      'unknown type',
      withSpec({ type: 'text' as 'string' }),
      [
        `FieldValueNotSupported ${spec}.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      ],
    ],
    [
      'properties and additionalProperties',
      withSpec({ ...object({ a: string() }), additionalProperties: string() }),
      [
        `FieldValueForbidden ${spec}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
      ],
    ],
    [
      'references',
      withSpec({ ...string(), $ref: '#/x' } as Schema),
      [`FieldValueForbidden ${spec}.$ref: Forbidden: $ref is not supported`],
    ],
    [
      'unique items',
      withSpec(list(string(), { uniqueItems: true })),
      [
        `FieldValueForbidden ${spec}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      ],
    ],
    [
      'map keys must be required or have a default',
      withSpec(listMap(item, ['k'])),
      [
        `FieldValueRequired ${spec}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      ],
    ],
    [
      'map keys must be properties',
      withSpec(listMap(item, ['z'])),
      [
        `FieldValueInvalid ${spec}.x-kubernetes-list-map-keys: Invalid value: ["z"]: entries must all be names of item properties`,
      ],
    ],
    [
      'maps are of objects',
      withSpec(listMap(string(), ['k'])),
      [
        `FieldValueInvalid ${spec}.items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map`,
      ],
    ],
    [
      'sets are of atomic items',
      withSpec(setList(item)),
      [
        `FieldValueInvalid ${spec}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
      ],
    ],
    [
      'list types are of lists',
      withSpec({ ...string(), 'x-kubernetes-list-type': 'set' }),
      [
        `FieldValueInvalid ${spec}.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified`,
      ],
    ],
    [
      'status as subresource restricts the root',
      crd({
        versions: [
          version(
            {},
            {
              subresources: { status: {} },
              schema: { openAPIV3Schema: { ...object({}), minProperties: 1 } },
            },
          ),
        ],
      }),
      [
        expect.stringContaining(
          'fields are allowed at the root of the schema if the status subresource is enabled',
        ),
      ],
    ],
    [
      'defaults in metadata',
      withRoot(object({ metadata: object({ name: string({ default: 'x' }) }) })),
      [
        `FieldValueForbidden ${schema}.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata`,
      ],
    ],
  ])('is checked: %s', (_, definition, expected) => {
    expect(causes(definition)).toEqual(expected);
  });
});

describe('defaults', () => {
  test.each<[string, Schema, string[]]>([
    ['good', object({ a: int64() }, { default: { a: 1 } }), []],
    [
      'wrong type',
      int64({ default: 'x' }),
      [
        `FieldValueTypeInvalid ${spec}.default: Invalid value: "string":  in body must be of type integer: "string"`,
      ],
    ],
    [
      'a nested value that is out of bounds',
      object({ a: int64({ maximum: 1 }) }, { default: { a: 2 } }),
      [`FieldValueInvalid ${spec}.default.a: Invalid value: 2: a in body should be less than or equal to 1`],
    ],
    [
      'unknown field',
      object({ a: int64() }, { default: { b: 2 } }),
      [`FieldValueInvalid ${spec}.default: Invalid value: {"b":2}: must not have unknown fields`],
    ],
    [
      'duplicate',
      setList(string(), { default: ['a', 'a'] }),
      [`FieldValueDuplicate ${spec}.default[1]: Duplicate value: "a"`],
    ],
    [
      'a value that violates a rule',
      int64({ default: 1, ...rule({ rule: 'self > 1', message: 'too small' }) }),
      [`FieldValueInvalid ${spec}.default: Invalid value: 1: too small`],
    ],
  ])('are checked: %s', (_, spec, expected) => {
    expect(causes(withSpec(spec))).toEqual(expected);
  });
});

describe('rules', () => {
  const shown = (source: string, extra = ''): string =>
    `{"Rule":${JSON.stringify(source)},"Message":"","MessageExpression":"${extra}","Reason":null,"FieldPath":"","OptionalOldSelf":null}`;
  const forbiddenCost = (name: string): RegExp =>
    new RegExp(`Forbidden: ${name} exceeds budget by factor of .*x \\(try simplifying`);
  const nested = { rule: 'self.tags.all(t, self.tags.exists(u, t != u))' };

  test.each<[string, Schema, unknown[]]>([
    ['good', object({ a: int64() }, rule({ rule: 'self.a > 0' })), []],
    [
      'a rule with a field that does not exist',
      object({}, rule({ rule: 'self.b' })),
      [
        `FieldValueInvalid ${spec}.x-kubernetes-validations[0].rule: Invalid value: ${shown('self.b')}: compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b\n | ....^`,
      ],
    ],
    [
      'a rule that does not return a bool',
      object({ a: int64() }, rule({ rule: 'self.a' })),
      [
        `FieldValueInvalid ${spec}.x-kubernetes-validations[0].rule: Invalid value: ${shown('self.a')}: cel expression must evaluate to a bool`,
      ],
    ],
    [
      'a message expression of another type',
      object({ a: int64() }, rule({ rule: 'true', messageExpression: 'self.a' })),
      [
        `FieldValueInvalid ${spec}.x-kubernetes-validations[0].messageExpression: Invalid value: ${shown('true', 'self.a')}: messageExpression must evaluate to a string`,
      ],
    ],
    [
      'empty rule',
      object({}, rule({ rule: ' ' })),
      [`FieldValueRequired ${spec}.x-kubernetes-validations[0].rule: Required value: rule is not specified`],
    ],
    [
      'a rule of several lines without a message',
      object({}, rule({ rule: 'true ||\nfalse' })),
      [
        `FieldValueRequired ${spec}.x-kubernetes-validations[0].message: Required value: message must be specified if rule contains line breaks`,
      ],
    ],
    [
      'a field path that does not exist',
      object({}, rule({ rule: 'true', fieldPath: '.x' })),
      [
        `FieldValueInvalid ${spec}.x-kubernetes-validations[0].fieldPath: Invalid value: ".x": must be a valid path`,
      ],
    ],
    [
      'oldSelf where it cannot be matched',
      list(string({ maxLength: 5, ...rule({ rule: 'self == oldSelf' }) }), { maxItems: 5 }),
      [
        `FieldValueInvalid ${spec}.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${spec}`,
      ],
    ],
    [
      'optionalOldSelf without oldSelf',
      string(rule({ rule: 'true', optionalOldSelf: true })),
      [
        `FieldValueInvalid ${spec}.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
      ],
    ],
    [
      'nested loops over an unbounded list',
      object({ tags: list(string()) }, rule(nested)),
      [
        expect.stringMatching(forbiddenCost('estimated rule cost')),
        `FieldValueForbidden ${spec}.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
        expect.stringMatching(
          forbiddenCost('x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'),
        ),
      ],
    ],
    [
      'nested loops over a bounded list',
      object({ tags: list(string({ maxLength: 20 }), { maxItems: 20 }) }, rule(nested)),
      [],
    ],
    [
      'a search in unbounded text',
      string(rule({ rule: 'self.contains(self)' })),
      [expect.stringMatching(forbiddenCost('estimated rule cost')), expect.anything(), expect.anything()],
    ],
    ['a cheap rule in an unbounded list of maps', list(map(string(rule({ rule: 'self == "a"' })))), []],
    [
      'a mapped optional value of unbounded text',
      object({ a: string() }, rule({ rule: 'self.?a.optMap(t, t + "!").orValue("") != "!"' })),
      [expect.stringMatching(forbiddenCost('estimated rule cost')), expect.anything(), expect.anything()],
    ],
    [
      'immutability of a whole object',
      object({ free: anyObject(), a: string() }, rule({ rule: 'self == oldSelf' })),
      [],
    ],
  ])('are checked: %s', (_, spec, expected) => {
    expect(causes(withSpec(spec))).toEqual(expected);
  });

  test('may be expensive in an unchanged schema if the total cost is within the limit', () => {
    const costly = withSpec(string(rule({ rule: `self.matches("${'x'.repeat(140)}")` })));
    expect(causes(costly)).toEqual([expect.stringMatching(forbiddenCost('estimated rule cost'))]);
    expect(causes(costly, cloneJson(costly))).toEqual([expect.stringContaining('status.storedVersions')]);
  });
});

describe('updates', () => {
  const old = crd(
    {},
    {
      metadata: { name: 'boxes.test.dev' },
      status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] },
    },
  );
  const changed = (spec: Partial<CrdSpec>, storedVersions = ['v1']): JsonObject =>
    crd(spec, { metadata: { name: 'boxes.test.dev' }, status: { storedVersions } });

  test.each<[string, JsonObject, unknown[]]>([
    ['no change', cloneJson(old), []],
    [
      'scope',
      changed({ scope: 'Cluster' }),
      ['FieldValueInvalid spec.scope: Invalid value: "Cluster": field is immutable'],
    ],
    [
      'kind',
      changed({ names: { plural: 'boxes', kind: 'Crate' } }),
      ['FieldValueInvalid spec.names.kind: Invalid value: "Crate": field is immutable'],
    ],
    [
      'a stored version disappears',
      changed({ versions: [version(int64(), { name: 'v2' })] }, ['v1', 'v2']),
      [
        expect.stringContaining(
          'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version',
        ),
      ],
    ],
    [
      'different versions are named in paths',
      changed({ versions: [version(int64()), version({ type: 'array' }, { name: 'v2', storage: false })] }),
      [
        'FieldValueRequired spec.versions[1].schema.openAPIV3Schema.properties[spec].items: Required value: must be specified',
      ],
    ],
  ])('are checked: %s', (_, definition, expected) => {
    expect(causes(definition, old)).toEqual(expected);
  });
});
