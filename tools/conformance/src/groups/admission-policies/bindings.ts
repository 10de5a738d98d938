import { expect } from 'expect';
import { eventually } from '../../suite/callers.js';
import type { Rule } from '../../suite/case.js';
import { bindingsPath, enforce, expectDenied, policyBinding } from '../../suite/policies.js';
import { create } from '../../suite/write.js';

const deny = [{ expression: "!has(object.data) || !('deny' in object.data)", message: 'denied' }];

/** Declares the rules about the actions of bindings. */
export function bindingRules(rule: Rule): void {
  rule('warns about what does not hold when the binding has the action Warn', async (scope) => {
    const policy = await enforce(scope, { validations: deny });
    const bindingName = scope.name('warning');
    const spec = { policyName: policy.name, validationActions: ['Warn', 'Audit'] };
    await create(scope, bindingsPath(), policyBinding(bindingName, spec));
    expect((await scope.api.delete(bindingsPath(policy.bindingName))).status).toBe(200);
    const warned = await eventually(
      () => policy.write({ deny: 'x' }),
      ({ status, warnings }) => status === 201 && warnings.length > 0,
    );
    expect(warned.warnings).toEqual([
      `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${bindingName}': denied`,
    ]);
    expect((await policy.write()).warnings).toEqual([]);
  });

  rule('narrows what the policy is about', async (scope) => {
    const strict = { matchExpressions: [{ key: 'lax', operator: 'DoesNotExist' }] };
    const policy = await enforce(scope, {
      binding: { matchResources: { objectSelector: strict } },
      validations: deny,
    });
    expectDenied(await policy.write({ deny: 'x' }), policy, 'denied');
    const lax = { metadata: { name: scope.name('object'), labels: { ...policy.labels, lax: 'x' } } };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', ...lax, data: { deny: 'x' } };
    const query = { dryRun: 'All' };
    expect((await scope.api.post(scope.core('configmaps'), object, { query })).status).toBe(201);
  });

  rule('ends the effect of a policy when its last binding goes', async (scope) => {
    const policy = await enforce(scope, { validations: deny });
    expectDenied(await policy.write({ deny: 'x' }), policy, 'denied');
    await scope.api.delete(bindingsPath(policy.bindingName));
    const free = await eventually(
      () => policy.write({ deny: 'x' }),
      ({ status }) => status === 201,
    );
    expect(free.warnings).toEqual([]);
  });
}
