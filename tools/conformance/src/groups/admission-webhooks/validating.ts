import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { configMap } from '../../suite/objects.js';
import { allow, deny, hookName, patched, type StartWebhooks } from '../../suite/webhooks.js';

const kind = 'ValidatingWebhookConfiguration';

/** Declares the rules about the decisions of validating webhooks. */
export function validatingRules(rule: Rule, startWebhooks: StartWebhooks): void {
  rule('stores what a validating webhook allows, and nothing that it denies', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, {
      'no-blue': {
        handler: ({ request }) => (request.object?.data?.['colour'] === 'blue' ? deny() : allow()),
      },
    });
    const [red, blue] = [scope.name('red'), scope.name('blue')];
    const path = scope.core('configmaps');
    expect((await scope.api.post(path, hooks.object(red, { colour: 'red' }))).status).toBe(201);
    const denied = await scope.api.post(path, hooks.object(blue, { colour: 'blue' }));
    expect(denied.status).toBe(400);
    expect(denied.body).toMatchObject({ kind: 'Status', status: 'Failure', code: 400 });
    expect(denied.body.message).toBe(
      `admission webhook "${hookName('no-blue')}" denied the request without explanation`,
    );
    expect((await scope.api.get(scope.core('configmaps', red))).status).toBe(200);
    expect((await scope.api.get(scope.core('configmaps', blue))).status).toBe(404);
    expect((await scope.api.post(path, configMap(blue, { colour: 'blue' }))).status).toBe(201);
  });

  rule('answers a denied request with code, reason, message and details of the webhook', async (scope) => {
    const hooks = await startWebhooks(scope);
    const details = { causes: [{ field: 'data.colour', reason: 'FieldValueInvalid', message: 'not blue' }] };
    const status = { code: 422, reason: 'Invalid', message: 'blue is not allowed', details };
    await hooks.register(kind, { colours: { handler: () => deny(status) } });
    const denied = await scope.api.post(scope.core('configmaps'), hooks.object(scope.name('blue')));
    expect(denied.status).toBe(422);
    expect(denied.body).toMatchObject({
      status: 'Failure',
      code: 422,
      reason: 'Invalid',
      message: `admission webhook "${hookName('colours')}" denied the request: blue is not allowed`,
      details,
    });
  });

  rule('answers a denial with a code below 400 with 400, and explains it with the reason', async (scope) => {
    const hooks = await startWebhooks(scope);
    const handler = () => deny({ code: 200, status: 'Success', reason: 'Forbidden' });
    await hooks.register(kind, { odd: { handler } });
    const denied = await scope.api.post(scope.core('configmaps'), hooks.object(scope.name('odd')));
    expect(denied.status).toBe(400);
    expect(denied.body).toMatchObject({
      status: 'Failure',
      code: 400,
      reason: 'Forbidden',
      message: `admission webhook "${hookName('odd')}" denied the request: Forbidden`,
    });
  });

  rule('asks all validating webhooks and refuses when one of them denies', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, { yes: {}, no: { handler: () => deny({ message: 'no' }) }, also: {} });
    const denied = await scope.api.post(scope.core('configmaps'), hooks.object(scope.name('asked')));
    expect(denied.body.message).toBe(`admission webhook "${hookName('no')}" denied the request: no`);
    for (const hook of ['yes', 'no', 'also']) expect(hooks.asked(hook)).toHaveLength(1);
  });

  rule('returns the warnings of a webhook once each, whether it allows or denies', async (scope) => {
    const hooks = await startWebhooks(scope);
    const warnings = ['colour is deprecated', 'use "hue"', 'colour is deprecated'];
    await hooks.register(kind, {
      warns: {
        handler: ({ request }) => ({
          response: { allowed: request.object?.data?.['colour'] !== 'blue', warnings },
        }),
      },
    });
    const path = scope.core('configmaps');
    const allowed = await scope.api.post(path, hooks.object(scope.name('red')));
    expect(allowed.status).toBe(201);
    expect(allowed.warnings).toEqual(['colour is deprecated', 'use "hue"']);
    const denied = await scope.api.post(path, hooks.object(scope.name('blue'), { colour: 'blue' }));
    expect(denied.status).toBe(400);
    expect(denied.warnings).toEqual(['colour is deprecated', 'use "hue"']);
  });

  rule('cuts warnings to 256 characters each when all together exceed 4096', async (scope) => {
    const hooks = await startWebhooks(scope);
    const long = (index: number): string => `${index} ${'x'.repeat(498)}`;
    const many = Array.from({ length: 20 }, (_, index) => long(index));
    await hooks.register(kind, {
      long: {
        handler: ({ request }) =>
          allow({ warnings: request.object?.data?.['many'] === 'yes' ? many : [long(0)] }),
      },
    });
    const path = scope.core('configmaps');
    const one = await scope.api.post(path, hooks.object(scope.name('one')));
    expect(one.warnings).toEqual([long(0)]);
    const all = await scope.api.post(path, hooks.object(scope.name('many'), { many: 'yes' }));
    expect(all.status).toBe(201);
    expect(all.warnings[0]).toBe(long(0).slice(0, 256));
    expect(Math.max(...all.warnings.map(({ length }) => length))).toBe(256);
    expect(all.warnings.join('').length).toBeLessThanOrEqual(4096 + 256);
  });

  rule('accepts audit annotations of a webhook', async (scope) => {
    const hooks = await startWebhooks(scope);
    const handler = () => allow({ auditAnnotations: { 'reviewed-by': 'conformance' } });
    await hooks.register(kind, { audited: { handler } });
    const name = scope.name('audited');
    const answer = await scope.api.post(scope.core('configmaps'), hooks.object(name));
    expect(answer.status).toBe(201);
    expect(answer.body.metadata.annotations).toBeUndefined();
    expect(hooks.asked('audited')).toHaveLength(1);
  });

  rule('lets a webhook deny an update, a patch and a deletion', async (scope) => {
    const hooks = await startWebhooks(scope);
    const name = scope.name('kept');
    const path = scope.core('configmaps', name);
    await scope.api.post(scope.core('configmaps'), hooks.object(name, { step: '1' }));
    const kept = { handler: () => deny({ message: 'kept' }), operations: ['UPDATE', 'DELETE'] };
    await hooks.register(kind, { kept });
    const answers = [
      await scope.api.put(path, hooks.object(name, { step: '2' })),
      await scope.api.patch(path, 'merge', { data: { step: '2' } }),
      await scope.api.apply(path, 'conformance', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data: { more: '2' },
      }),
      await scope.api.delete(path),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(400);
      expect(body.message).toBe(`admission webhook "${hookName('kept')}" denied the request: kept`);
    }
    expect((await scope.api.get(path)).body.data).toEqual({ step: '1' });
  });

  rule('does not take a patch of a validating webhook', async (scope) => {
    const hooks = await startWebhooks(scope);
    const handler = () => patched({ op: 'add', path: '/data', value: { added: 'yes' } });
    await hooks.register(kind, { patches: { handler } });
    const name = scope.name('patched');
    const answer = await scope.api.post(scope.core('configmaps'), hooks.object(name));
    expect(answer.status).toBe(500);
    expect(answer.body.message).toContain(
      `failed calling webhook "${hookName('patches')}": received invalid webhook response:`,
    );
    expect((await scope.api.get(scope.core('configmaps', name))).status).toBe(404);
  });
}
