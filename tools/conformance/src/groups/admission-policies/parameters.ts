import { expect } from 'expect';
import type { Answer } from '../../suite/api.js';
import { eventually } from '../../suite/callers.js';
import type { Rule } from '../../suite/case.js';
import { configMap } from '../../suite/objects.js';
import { enforce, expectDenied, type Policy } from '../../suite/policies.js';
import { create } from '../../suite/write.js';

const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
const validations = [
  {
    expression: '!has(object.data) || object.data.a != params.data.a',
    messageExpression: "'not ' + string(params.data.a)",
  },
];

/** Repeats a write that the parameters forbid until the server, which observes parameters with a delay, refuses it. */
function whenFound(policy: Policy, a: string): Promise<Answer> {
  return eventually(
    () => policy.write({ a }),
    ({ text }) => text.includes(`denied request: not ${a}`),
  );
}

/** Declares the rules about the parameters of policies. */
export function parameterRules(rule: Rule): void {
  rule('evaluates a policy with the parameters that its binding names', async (scope) => {
    const name = scope.name('limits');
    await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
    const paramRef = { name, namespace: scope.namespace, parameterNotFoundAction: 'Deny' };
    const policy = await enforce(scope, { spec: { paramKind }, binding: { paramRef }, validations });
    expectDenied(await whenFound(policy, '1'), policy, 'not 1');
    expect((await policy.write({ a: '2' })).status).toBe(201);
    await scope.api.patch(scope.core('configmaps', name), 'merge', { data: { a: '2' } });
    expectDenied(await whenFound(policy, '2'), policy, 'not 2');
  });

  rule('takes parameters from the namespace of the request when the binding names none', async (scope) => {
    const name = scope.name('limits');
    await create(scope, scope.core('configmaps'), configMap(name, { a: '1' }));
    const paramRef = { name, parameterNotFoundAction: 'Allow' };
    const policy = await enforce(scope, { spec: { paramKind }, binding: { paramRef }, validations });
    expectDenied(await whenFound(policy, '1'), policy, 'not 1');
    const other = await scope.ownNamespace();
    const object = policy.object(scope.name('object'), { a: '1' });
    expect((await scope.api.post(`/api/v1/namespaces/${other}/configmaps`, object)).status).toBe(201);
  });

  rule('evaluates a policy for each of the parameters that a selector selects', async (scope) => {
    const labels = { 'conformance.interlock.dev/limits': scope.name('limits') };
    for (const a of ['1', '2']) {
      await create(scope, scope.core('configmaps'), configMap(scope.name('limits'), { a }, { labels }));
    }
    const paramRef = {
      selector: { matchLabels: labels },
      namespace: scope.namespace,
      parameterNotFoundAction: 'Deny',
    };
    const policy = await enforce(scope, { spec: { paramKind }, binding: { paramRef }, validations });
    for (const a of ['1', '2']) {
      expectDenied(await whenFound(policy, a), policy, `not ${a}`);
    }
    expect((await policy.write({ a: '3' })).status).toBe(201);
  });

  rule('refuses or allows requests without parameters by the binding', async (scope) => {
    const name = scope.name('missing');
    const paramRef = { name, namespace: scope.namespace, parameterNotFoundAction: 'Deny' };
    const policy = await enforce(scope, { spec: { paramKind }, binding: { paramRef }, validations });
    const message =
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction';
    expectDenied(await policy.write({ a: '1' }), policy, message);
    await create(scope, scope.core('configmaps'), configMap(name, { a: '2' }));
    const found = await eventually(
      () => policy.write({ a: '1' }),
      ({ status }) => status === 201,
    );
    expect(found.warnings).toEqual([]);
  });

  rule('evaluates a policy without parameters when its binding names none', async (scope) => {
    const policy = await enforce(scope, {
      spec: { paramKind },
      validations: [{ expression: "params == null && (!has(object.data) || object.data.a != '1')" }],
    });
    expect((await policy.write({ a: '2' })).status).toBe(201);
    expect((await policy.write({ a: '1' })).status).toBe(422);
  });
}
