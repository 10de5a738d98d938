import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../object.js';
import { CelAuthorizer, ResourceCheck, type Access } from '../../schema/cel/library-authorizer.js';
import type { JsonObject } from '../../schema/types.js';
import { namespaceValue, type Inputs } from './activation.js';
import { evaluatePolicy } from './evaluate.js';
import { policyOf } from './policy.js';

/** Allows every user to get pods, and allows the ServiceAccount `a/b` to do everything. */
function access(isAccount: boolean): Access {
  return {
    decide: (question) => {
      const isPods = 'resource' in question && question.resource === 'pods' && question.verb === 'get';
      return { allowed: isAccount || isPods, reason: isAccount ? 'an account' : '' };
    },
    ofServiceAccount: (namespace, name) => access(`${namespace}/${name}` === 'a/b'),
  };
}

const target = { group: '', resource: 'pods', subresource: '', namespace: 'n', name: 'p' };
const inputs: Inputs = {
  request: {
    operation: 'UPDATE',
    name: 'p',
    userInfo: { username: 'me', groups: ['g'] },
    object: { metadata: { name: 'p' }, spec: { size: 3, items: [1, 2, 3] } },
    oldObject: { spec: { size: 1 } },
  },
  namespace: namespaceValue({ metadata: { name: 'n', labels: { tier: 'gold' }, managedFields: [] } }),
  params: { spec: { max: 2 } },
  authorizer: new CelAuthorizer(access(false), new ResourceCheck(access(false), target)),
};

function policy(spec: JsonObject): KubeObject {
  return { apiVersion: 'v1', kind: 'ValidatingAdmissionPolicy', metadata: { name: 'x' }, spec };
}

function outcome(spec: JsonObject): ReturnType<typeof evaluatePolicy> {
  return evaluatePolicy(policyOf(policy({ paramKind: {}, ...spec })), inputs);
}

function messages(spec: JsonObject): string[] {
  return outcome(spec).denials.map(({ message }) => message);
}

function failed(expression: string): string[] {
  return messages({ validations: [{ expression }] });
}

describe('validations', () => {
  it.each([
    'object.spec.size == 3',
    'oldObject.spec.size < object.spec.size',
    "request.operation == 'UPDATE' && request.userInfo.username == 'me'",
    "namespaceObject.metadata.labels['tier'] == 'gold'",
    'params.spec.max == 2',
    '!has(request.subResource)',
    "authorizer.group('').resource('pods').namespace('n').check('get').allowed()",
    "!authorizer.group('').resource('pods').check('delete').allowed()",
    "authorizer.requestResource.check('get').allowed()",
    "authorizer.serviceAccount('a', 'b').path('/x').check('get').reason() == 'an account'",
    "!authorizer.path('/x').check('get').errored()",
  ])('pass when %s', (expression) => {
    expect(failed(expression)).toEqual([]);
  });

  it.each<[string, string]>([
    ['object.spec.size == 1', 'failed expression: object.spec.size == 1'],
    [
      'object.spec.missing == 1',
      "expression 'object.spec.missing == 1' resulted in error: no such key: missing",
    ],
    ['object.spec.size', 'compilation error: must evaluate to bool but got dyn'],
    [
      "[1, 2, 3].all(i, authorizer.path('/x').check('get').allowed() || i > 0)",
      "expression '[1, 2, 3].all(i, authorizer.path('/x').check('get').allowed() || i > 0)' resulted in error: operation cancelled: actual cost limit exceeded",
    ],
  ])('do not pass when %s', (expression, message) => {
    expect(failed(expression)).toEqual([message]);
  });

  it('deny a request with their own reason', () => {
    const validations = [
      { expression: 'false', reason: 'Forbidden', message: 'no' },
      { expression: 'true' },
      { expression: 'false' },
    ];
    expect(outcome({ validations }).denials).toEqual([
      { message: 'no', reason: 'Forbidden' },
      { message: 'failed expression: false', reason: '' },
    ]);
  });

  it('stop when together they exceed the cost limit of a policy', () => {
    const dear = "[1, 2].all(i, !authorizer.path('/x').check('get').allowed())";
    const validations = Array.from({ length: 15 }, () => ({ expression: dear }));
    expect(messages({ validations: validations.slice(0, 14) })).toEqual([]);
    expect(messages({ validations })).toEqual([
      'validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });
});

describe('messages', () => {
  it.each<[string, JsonObject, string]>([
    [
      'the evaluated text',
      { messageExpression: "'at most ' + string(params.spec.max)", message: 'm' },
      'at most 2',
    ],
    ['the constant text if the evaluated text is empty', { messageExpression: "' '", message: ' m ' }, 'm'],
    [
      'the constant text if the evaluated text has several lines',
      { messageExpression: "'a\\nb'", message: 'm' },
      'm',
    ],
    [
      'the constant text if its expression cannot be evaluated',
      { messageExpression: 'string(object.missing)', message: 'm' },
      'm',
    ],
    [
      'the expression of the validation if there is no text',
      { messageExpression: "''" },
      'failed expression: false',
    ],
  ])('are %s', (_what, fields, message) => {
    expect(messages({ validations: [{ expression: 'false', ...fields }] })).toEqual([message]);
  });
});

describe('variables', () => {
  const variables = [
    { name: 'size', expression: 'object.spec.size' },
    { name: 'double', expression: 'int(variables.size) * 2' },
    { name: 'bad', expression: 'object.missing' },
  ];

  it.each<[string, string[]]>([
    ['variables.double == 6', []],
    ['variables.double == 6 || variables.bad == 1', []],
    [
      'variables.bad == 1',
      [
        `expression 'variables.bad == 1' resulted in error: composited variable "bad" fails to evaluate: no such key: missing`,
      ],
    ],
  ])('are evaluated when %s uses them', (expression, expected) => {
    expect(messages({ variables, validations: [{ expression }] })).toEqual(expected);
  });

  it('are evaluated once, and count against the budget', () => {
    const dear = [{ name: 'dear', expression: "authorizer.path('/x').check('get').allowed()" }];
    const validations = Array.from({ length: 40 }, () => ({ expression: '!variables.dear' }));
    expect(messages({ variables: dear, validations })).toEqual([]);
  });
});

describe('failures', () => {
  const failing = { validations: [{ expression: 'object.missing == 1' }], failurePolicy: 'Ignore' };

  it('are ignored with the failure policy Ignore, unlike a validation that is false', () => {
    expect(messages(failing)).toEqual([]);
    expect(messages({ ...failing, validations: [{ expression: 'false' }] })).toEqual([
      'failed expression: false',
    ]);
  });

  it.each<[string, string, string[]]>([
    ['a condition that is false', 'false', []],
    ['a condition that is true', 'object.spec.size == 3', ['failed expression: false']],
    [
      'a condition that cannot be evaluated',
      'object.x == 1',
      ["expression 'object.x == 1' resulted in error: no such key: x"],
    ],
  ])('are reported depending on %s', (_what, expression, expected) => {
    const matchConditions = [{ name: 'c', expression }];
    expect(messages({ matchConditions, validations: [{ expression: 'false' }] })).toEqual(expected);
  });

  it('include the failures of audit annotations', () => {
    const auditAnnotations = [
      { key: 'a', valueExpression: "'x'" },
      { key: 'b', valueExpression: 'string(object.missing)' },
    ];
    expect(outcome({ auditAnnotations }).annotationDenials).toEqual([
      { message: "expression 'string(object.missing)' resulted in error: no such key: missing", reason: '' },
    ]);
  });
});
