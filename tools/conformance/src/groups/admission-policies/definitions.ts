import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { expectInvalid } from '../../suite/invalid.js';
import { bindingsPath, policiesPath, policy, policyBinding, policyRule } from '../../suite/policies.js';
import type { Scope } from '../../suite/scope.js';
import { create } from '../../suite/write.js';

const query = { dryRun: 'All' };

function post(scope: Scope, spec: object) {
  return scope.api.post(policiesPath(), policy(scope.name('policy'), spec), { query });
}

/** Declares the rules about the content of policies and bindings. */
export function definitionRules(rule: Rule): void {
  rule('completes a policy with defaults', async (scope) => {
    const { status, body } = await post(scope, {});
    expect(status).toBe(201);
    expect(body).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [{ ...policyRule(), scope: '*' }],
        },
      },
    });
  });

  rule('gives a policy a new generation when its spec changes', async (scope) => {
    const { metadata } = await create(scope, policiesPath(), policy(scope.name('policy')));
    const path = policiesPath(metadata.name);
    const labelled = await scope.api.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(labelled.body.metadata.generation).toBe(1);
    const changed = await scope.api.patch(path, 'merge', { spec: { failurePolicy: 'Ignore' } });
    expect(changed.body.metadata.generation).toBe(2);
  });

  rule(
    'reports the generation of a policy that it checked, and the expressions that do not fit the types',
    async (scope) => {
      const resourceRules = [policyRule({ apiGroups: ['apps'], resources: ['deployments'] })];
      const validations = [{ expression: 'object.replicas > 1' }, { expression: 'object.spec.replicas > 1' }];
      const name = scope.name('policy');
      const spec = { matchConstraints: { resourceRules }, validations };
      await create(scope, policiesPath(), policy(name, spec));
      const checked = await scope.eventually(
        policiesPath(name),
        ({ body }) => (body.status as { observedGeneration?: number } | undefined)?.observedGeneration === 1,
      );
      const { typeChecking } = checked.body.status as {
        typeChecking: { expressionWarnings: { fieldRef: string; warning: string }[] };
      };
      expect(typeChecking.expressionWarnings).toHaveLength(1);
      expect(typeChecking.expressionWarnings[0]?.fieldRef).toBe('spec.validations[0].expression');
      expect(typeChecking.expressionWarnings[0]?.warning).toContain("undefined field 'replicas'");
    },
    'controllers',
  );

  rule('refuses policies without constraints or without anything to validate', async (scope) => {
    const unconstrained = await post(scope, { matchConstraints: undefined });
    expectInvalid(unconstrained, { 'spec.matchConstraints': 'FieldValueRequired' });
    const ruleless = await post(scope, { matchConstraints: {} });
    expectInvalid(ruleless, { 'spec.matchConstraints.resourceRules': 'FieldValueRequired' });
    expectInvalid(await post(scope, { validations: [] }), {
      'spec.validations': 'FieldValueRequired',
      'spec.auditAnnotations': 'FieldValueRequired',
    });
  });

  rule('refuses expressions that do not compile, with their place', async (scope) => {
    const answer = await post(scope, { validations: [{ expression: "request.user == 'x'" }] });
    expectInvalid(answer, { 'spec.validations[0].expression': 'FieldValueInvalid' });
    expect(answer.body.message).toContain("ERROR: <input>:1:8: undefined field 'user'");
  });

  rule('refuses expressions of another type than they must have', async (scope) => {
    const validations = [{ expression: "'a'" }, { expression: 'true', messageExpression: '1' }];
    const auditAnnotations = [{ key: 'a', valueExpression: '1' }];
    const answer = await post(scope, { validations, auditAnnotations });
    expectInvalid(answer, {
      'spec.validations[0].expression': 'FieldValueInvalid',
      'spec.validations[1].messageExpression': 'FieldValueInvalid',
      'spec.auditAnnotations[0].valueExpression': 'FieldValueInvalid',
    });
    expect(answer.body.message).toContain('must evaluate to bool but got string');
  });

  rule('refuses variables that are used before they are declared, or without a valid name', async (scope) => {
    const expressions = (...names: string[]) =>
      names.map((name) => ({ name, expression: 'variables.b == 1' }));
    const answer = await post(scope, { variables: [...expressions('a'), { name: 'b', expression: '1' }] });
    expectInvalid(answer, { 'spec.variables[0].expression': 'FieldValueInvalid' });
    const reserved = await post(scope, { variables: [{ name: 'for', expression: '1' }] });
    expectInvalid(reserved, { 'spec.variables[0].name': 'FieldValueInvalid' });
  });

  rule('refuses parameters in expressions of a policy without a kind of parameters', async (scope) => {
    const answer = await post(scope, { validations: [{ expression: 'params == null' }] });
    expectInvalid(answer, { 'spec.validations[0].expression': 'FieldValueInvalid' });
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    expect((await post(scope, { paramKind, validations: [{ expression: 'params == null' }] })).status).toBe(
      201,
    );
  });

  rule('refuses bindings without a policy or actions, and actions that exclude each other', async (scope) => {
    const bind = (spec: object) =>
      scope.api.post(bindingsPath(), policyBinding(scope.name('binding'), spec), { query });
    expectInvalid(await bind({ validationActions: [] }), {
      'spec.policyName': 'FieldValueRequired',
      'spec.validationActions': 'FieldValueRequired',
    });
    expectInvalid(await bind({ policyName: 'p', validationActions: ['Deny', 'Warn'] }), {
      'spec.validationActions': 'FieldValueInvalid',
    });
    const paramRef = { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' };
    expectInvalid(await bind({ policyName: 'p', paramRef }), { 'spec.paramRef.name': 'FieldValueForbidden' });
    expect((await bind({ policyName: 'p' })).status).toBe(201);
  });
}
