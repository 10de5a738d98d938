import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { enforce, expectDenied } from '../../suite/policies.js';
import { whoIs } from '../../suite/reviews.js';

/** Declares the rules about the variables and the results of expressions. */
export function expressionRules(rule: Rule): void {
  rule('refuses objects for which a validation does not hold, with its message and reason', async (scope) => {
    const policy = await enforce(scope, {
      validations: [
        { expression: "object.data.colour != 'red'", message: 'not red' },
        { expression: "object.data.colour != 'blue'", reason: 'Forbidden' },
      ],
    });
    expect((await policy.write({ colour: 'green' })).status).toBe(201);
    expectDenied(await policy.write({ colour: 'red' }), policy, 'not red');
    const blue = await policy.write({ colour: 'blue' });
    const expected = { code: 403, reason: 'Forbidden' };
    expectDenied(blue, policy, "failed expression: object.data.colour != 'blue'", expected);
  });

  rule('makes messages by expressions, or takes the other one when they fail', async (scope) => {
    const { username } = await whoIs(scope.api);
    const policy = await enforce(scope, {
      validations: [
        {
          expression: "object.data.a != '1'",
          messageExpression: "'not 1 for ' + request.userInfo.username",
        },
        {
          expression: "object.data.a != '2'",
          messageExpression: 'string(object.data.missing)',
          message: 'not 2',
        },
      ],
    });
    expectDenied(await policy.write({ a: '1' }), policy, `not 1 for ${username}`);
    expectDenied(await policy.write({ a: '2' }), policy, 'not 2');
  });

  rule('refuses what cannot be evaluated, or lets it pass with failurePolicy Ignore', async (scope) => {
    const expression = "object.data.missing == 'x'";
    const policy = await enforce(scope, { validations: [{ expression }] });
    const message = `expression '${expression}' resulted in error: no such key: missing`;
    expectDenied(await policy.write({ a: '1' }), policy, message);
    const lenient = await enforce(scope, {
      spec: { failurePolicy: 'Ignore' },
      validations: [{ expression }],
    });
    expect((await lenient.write({ a: '1' })).status).toBe(201);
    expectDenied(await lenient.write({ missing: 'y' }), lenient, `failed expression: ${expression}`);
  });

  rule('offers the old object, the request and the namespace to expressions', async (scope) => {
    const policy = await enforce(scope, {
      validations: [
        { expression: 'oldObject == null || object.data.a == oldObject.data.a', message: 'changed' },
        { expression: "request.operation in ['CREATE', 'UPDATE'] && !has(request.subResource)" },
        { expression: "request.resource.resource == 'configmaps' && request.kind.kind == 'ConfigMap'" },
        {
          expression: `namespaceObject.metadata.name == '${scope.namespace}' && request.dryRun in [true, false]`,
        },
      ],
    });
    const name = scope.name('object');
    const path = scope.core('configmaps', name);
    expect((await scope.api.post(scope.core('configmaps'), policy.object(name, { a: '1' }))).status).toBe(
      201,
    );
    expect((await scope.api.put(path, policy.object(name, { a: '1', b: '2' }))).status).toBe(200);
    expectDenied(await scope.api.put(path, policy.object(name, { a: '2' })), policy, 'changed');
  });

  rule('evaluates variables where they are used', async (scope) => {
    const policy = await enforce(scope, {
      spec: {
        variables: [
          { name: 'size', expression: 'int(object.data.size)' },
          { name: 'double', expression: 'variables.size * 2' },
        ],
      },
      validations: [
        {
          expression: '!has(object.data.size) || variables.double < 10',
          messageExpression: "'double is ' + string(variables.double)",
        },
      ],
    });
    expect((await policy.write({ a: '1' })).status).toBe(201);
    expect((await policy.write({ size: '4' })).status).toBe(201);
    expectDenied(await policy.write({ size: '5' }), policy, 'double is 10');
    const { status, body } = await policy.write({ size: 'x' });
    expect(status).toBe(422);
    expect(body.message).toContain('composited variable "size" fails to evaluate');
  });

  rule('asks the authorizer about the user of the request', async (scope) => {
    const check = (verb: string) =>
      `authorizer.group('').resource('configmaps').namespace('${scope.namespace}').check('${verb}').allowed()`;
    const account = "authorizer.serviceAccount('default', 'nobody-of-the-suite')";
    const policy = await enforce(scope, {
      validations: [
        { expression: check('create') },
        { expression: "authorizer.requestResource.check('create').allowed()" },
        { expression: `!${account}.group('').resource('secrets').check('delete').allowed()` },
        {
          expression: "object.data.a != '1' && authorizer.path('/healthz').check('get').allowed()",
          message: 'a',
        },
      ],
    });
    expect((await policy.write({ a: '2' })).status).toBe(201);
    expectDenied(await policy.write({ a: '1' }), policy, 'a');
  });

  rule('ends expressions that cost too much', async (scope) => {
    const loop = (variable: string, body: string): string => `lists.range(100).all(${variable}, ${body})`;
    const expression = `object.data.a != '1' || ${loop('x', loop('y', loop('z', 'x + y + z >= 0')))}`;
    const policy = await enforce(scope, { validations: [{ expression }] });
    expect((await policy.write({ a: '2' })).status).toBe(201);
    const { status, body } = await policy.write({ a: '1' });
    expect(status).toBe(422);
    expect(body.message).toContain('operation cancelled: actual cost limit exceeded');
  });
}
