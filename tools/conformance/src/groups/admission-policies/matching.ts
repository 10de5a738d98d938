import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { configMap } from '../../suite/objects.js';
import { enforce, expectDenied, policyRule } from '../../suite/policies.js';

const deny = [{ expression: "!has(object.data) || !('deny' in object.data)", message: 'denied' }];

/** Declares the rules about the requests that a policy matches. */
export function matchRules(rule: Rule): void {
  rule('validates the objects that objectSelector selects, and no others', async (scope) => {
    const policy = await enforce(scope, { validations: deny });
    expectDenied(await policy.write({ deny: 'x' }), policy, 'denied');
    const query = { dryRun: 'All' };
    const other = configMap(scope.name('object'), { deny: 'x' });
    expect((await scope.api.post(scope.core('configmaps'), other, { query })).status).toBe(201);
  });

  rule('validates the operations that a rule names', async (scope) => {
    const policy = await enforce(scope, {
      match: { resourceRules: [policyRule({ operations: ['CREATE', 'DELETE'] })] },
      validations: [
        { expression: "request.operation != 'DELETE' || oldObject.data.a != '1'", message: 'kept' },
      ],
    });
    const name = scope.name('object');
    const path = scope.core('configmaps', name);
    const created = await scope.api.post(scope.core('configmaps'), policy.object(name, { a: '1' }));
    expect(created.status).toBe(201);
    expectDenied(await scope.api.delete(path), policy, 'kept');
    expect((await scope.api.patch(path, 'merge', { data: { a: '2' } })).status).toBe(200);
    expect((await scope.api.delete(path)).status).toBe(200);
  });

  rule('does not validate what an excluding rule names', async (scope) => {
    const free = scope.name('free');
    const policy = await enforce(scope, {
      match: { excludeResourceRules: [policyRule({ resourceNames: [free] })] },
      validations: deny,
    });
    const query = { dryRun: 'All' };
    const path = scope.core('configmaps');
    const excluded = await scope.api.post(path, policy.object(free, { deny: 'x' }), { query });
    expect(excluded.status).toBe(201);
    expectDenied(await policy.write({ deny: 'x' }), policy, 'denied');
  });

  rule('validates objects in the namespaces that namespaceSelector selects', async (scope) => {
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': scope.namespace } };
    const policy = await enforce(scope, { match: { namespaceSelector }, validations: deny });
    expectDenied(await policy.write({ deny: 'x' }), policy, 'denied');
    const other = await scope.ownNamespace();
    const object = policy.object(scope.name('object'), { deny: 'x' });
    expect((await scope.api.post(`/api/v1/namespaces/${other}/configmaps`, object)).status).toBe(201);
  });

  rule('validates only when all matchConditions are true', async (scope) => {
    const policy = await enforce(scope, {
      spec: {
        matchConditions: [
          { name: 'probe-or-strict', expression: "!has(object.data) || !('lax' in object.data)" },
          { name: 'configmaps', expression: "request.resource.resource == 'configmaps'" },
        ],
      },
      validations: deny,
    });
    expectDenied(await policy.write({ deny: 'x' }), policy, 'denied');
    expect((await policy.write({ deny: 'x', lax: 'x' })).status).toBe(201);
  });
}
