import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import type { JsonObject } from '../../schema/types.js';
import { validateBinding } from './binding-validation.js';
import { validatePolicy } from './policy-validation.js';

const rule = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' };
const match = { matchPolicy: 'Equivalent', resourceRules: [rule] };

function object(spec: JsonObject): KubeObject {
  return { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'X', metadata: { name: 'x' }, spec };
}

function causes(found: ReturnType<typeof validatePolicy>): string[] {
  return found.map(({ field, message }) => `${field}: ${message}`);
}

function policyCauses(spec: JsonObject): string[] {
  const valid = { failurePolicy: 'Fail', matchConstraints: match, validations: [{ expression: 'true' }] };
  return causes(validatePolicy(object({ ...valid, ...spec })));
}

describe('a ValidatingAdmissionPolicy', () => {
  it.each<[string, JsonObject]>([
    [
      'with validations that use its variables',
      { variables: [{ name: 'a', expression: '1' }], validations: [{ expression: 'variables.a == 1' }] },
    ],
    [
      'with validations that use its parameters',
      { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' }, validations: [{ expression: 'params != null' }] },
    ],
    [
      'with only audit annotations',
      { validations: [], auditAnnotations: [{ key: 'a', valueExpression: 'null' }] },
    ],
  ])('is valid %s', (_what, spec) => {
    expect(policyCauses(spec)).toEqual([]);
  });

  it.each<[string, JsonObject, unknown[]]>([
    [
      'expressions that do not compile',
      { validations: [{ expression: 'object.a ==' }] },
      [
        expect.stringContaining(
          'spec.validations[0].expression: Invalid value: "object.a ==": compilation failed: ERROR: <input>:1:12: Syntax error',
        ),
      ],
    ],
    [
      'fields that the request does not have',
      { validations: [{ expression: "request.user == 'x'" }] },
      [
        `spec.validations[0].expression: Invalid value: "request.user == 'x'": compilation failed: ERROR: <input>:1:8: undefined field 'user'\n | request.user == 'x'\n | .......^`,
      ],
    ],
    [
      'validations that do not return a bool',
      { validations: [{ expression: "'x'" }, { expression: 'object.spec' }] },
      [
        `spec.validations[0].expression: Invalid value: "'x'": must evaluate to bool but got string`,
        'spec.validations[1].expression: Invalid value: "object.spec": must evaluate to bool but got dyn',
      ],
    ],
    [
      'messages that are not strings, and messages that use the authorizer',
      {
        validations: [
          { expression: 'true', messageExpression: '1' },
          { expression: 'true', messageExpression: "string(authorizer.path('/').check('get').allowed())" },
        ],
      },
      [
        'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int',
        expect.stringContaining("undeclared reference to 'authorizer' (in container '')"),
      ],
    ],
    [
      'messages that are empty or have more than one line',
      {
        validations: [
          { expression: 'true', message: ' ' },
          { expression: 'true', message: 'a\nb', messageExpression: ' ' },
        ],
      },
      [
        'spec.validations[0].message: Invalid value: " ": message must be non-empty if specified',
        'spec.validations[1].messageExpression: Invalid value: " ": must be non-empty if specified',
        'spec.validations[1].message: Invalid value: "a\\nb": message must not contain line breaks',
      ],
    ],
    [
      'parameters without a kind',
      { validations: [{ expression: 'params.a == 1' }] },
      [expect.stringContaining("undeclared reference to 'params' (in container '')")],
    ],
    [
      'variables that are not declared, or are declared later',
      { validations: [{ expression: 'variables.a == 1' }] },
      [expect.stringContaining("undeclared reference to 'variables' (in container '')")],
    ],
    [
      'names of variables that are not identifiers, and variables that use later variables',
      {
        variables: [
          { name: 'for', expression: 'variables.b' },
          { name: 'b', expression: ' ' },
        ],
      },
      [
        'spec.variables[0].name: Invalid value: "for": name is not a valid CEL identifier',
        expect.stringContaining("undefined field 'b'"),
        'spec.variables[1].expression: Required value: expression is not specified',
      ],
    ],
    [
      'reasons that a Status cannot have',
      { validations: [{ expression: 'true', reason: 'Conflict' }] },
      [
        'spec.validations[0].reason: Unsupported value: "Conflict": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      ],
    ],
    [
      'neither validations nor audit annotations',
      { validations: [] },
      [
        'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
        'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
      ],
    ],
    [
      'annotations of other types, and repeated keys',
      {
        auditAnnotations: [
          { key: 'a', valueExpression: '1' },
          { key: 'a', valueExpression: "'x'" },
        ],
      },
      [
        'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
        'spec.auditAnnotations[1].key: Duplicate value: "a"',
      ],
    ],
    [
      'no rules',
      { matchConstraints: { matchPolicy: 'Exact' } },
      ['spec.matchConstraints.resourceRules: Required value'],
    ],
    [
      'incomplete rules',
      {
        matchConstraints: {
          ...match,
          resourceRules: [{ ...rule, operations: [], resourceNames: ['a', 'a', 'b/c'] }],
        },
      },
      [
        'spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a"',
        `spec.matchConstraints.resourceRules[0].resourceNames[2]: Invalid value: "b/c": may not contain '/'`,
        'spec.matchConstraints.resourceRules[0].operations: Required value',
      ],
    ],
    [
      'conditions that are not valid, or that use variables',
      {
        variables: [{ name: 'a', expression: '1' }],
        matchConditions: [
          { name: 'c', expression: '1' },
          { name: 'c', expression: 'variables.a == 1' },
        ],
      },
      [
        'spec.matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int',
        expect.stringContaining("undeclared reference to 'variables' (in container '')"),
        'spec.matchConditions[1].name: Duplicate value: "c"',
      ],
    ],
    [
      'invalid kinds of parameters',
      { paramKind: { apiVersion: 'a/b/c', kind: 'A.b' } },
      [
        'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
        expect.stringContaining(
          'spec.paramKind.kind: Invalid value: "A.b": may have mixed case, but should otherwise match: a DNS-1035 label',
        ),
      ],
    ],
  ])('is refused with %s', (_what, spec, expected) => {
    expect(policyCauses(spec)).toEqual(expected);
  });
});

describe('a ValidatingAdmissionPolicyBinding', () => {
  const valid = { policyName: 'p', validationActions: ['Deny'] };

  it.each<[string, JsonObject, string[]]>([
    ['the required fields', valid, []],
    [
      'parameters by selector',
      { ...valid, paramRef: { selector: {}, parameterNotFoundAction: 'Allow' } },
      [],
    ],
    [
      'no policy and no actions',
      {},
      [
        'spec.policyName: Required value',
        'spec.validationActions: Required value: at least one validation action is required',
      ],
    ],
    [
      'actions that exclude each other, and unknown actions',
      { ...valid, validationActions: ['Deny', 'Warn', 'Log'] },
      [
        'spec.validationActions[2]: Unsupported value: "Log": supported values: "Audit", "Deny", "Warn"',
        'spec.validationActions: Invalid value: ["Deny","Warn","Log"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
      ],
    ],
    [
      'parameters by name and by selector',
      { ...valid, paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Fail' } },
      [
        'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
        'spec.paramRef.parameterNotFoundAction: Unsupported value: "Fail": supported values: "Deny", "Allow"',
      ],
    ],
    [
      'parameters without a name or a selector',
      { ...valid, paramRef: {} },
      [
        'spec.paramRef: Required value: one of name or selector must be specified',
        'spec.paramRef.parameterNotFoundAction: Required value',
      ],
    ],
    [
      'incomplete rules, with the field name that the API server uses',
      { ...valid, matchResources: { ...match, resourceRules: [{ ...rule, apiVersions: [] }] } },
      ['spec.matchResouces.resourceRules[0].apiVersions: Required value'],
    ],
  ])('is validated with %s', (_what, spec, expected) => {
    expect(causes(validateBinding(object(spec)))).toEqual(expected);
  });
});
