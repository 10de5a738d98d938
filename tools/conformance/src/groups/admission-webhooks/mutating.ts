import { expect } from 'expect';
import type { Rule } from '../../suite/case.js';
import { allow, deny, hookName, patched, type StartWebhooks } from '../../suite/webhooks.js';
import type { ReviewHandler } from '../../suite/webhook-server.js';

const kind = 'MutatingWebhookConfiguration';

/** Returns a handler that appends the name to the value `trace` of the object. */
function tracing(name: string): ReviewHandler {
  return ({ request }) => {
    const before = request.object?.data?.['trace'] ?? '';
    return patched({ op: 'add', path: '/data/trace', value: `${before}${name}` });
  };
}

/** Returns a handler that sets the value of the key in the object, unless it is set. */
function setting(key: string): ReviewHandler {
  return ({ request }) =>
    request.object?.data?.[key] === undefined
      ? patched({ op: 'add', path: `/data/${key}`, value: 'set' })
      : allow();
}

/** Rules about the changes that mutating webhooks make. */
export function mutatingRules(rule: Rule, startWebhooks: StartWebhooks): void {
  rule('stores the object with the JSON patch of a mutating webhook', async (scope) => {
    const hooks = await startWebhooks(scope);
    const handler = () =>
      patched(
        { op: 'test', path: '/data/colour', value: 'red' },
        { op: 'add', path: '/metadata/labels/patched', value: 'yes' },
        { op: 'replace', path: '/data/colour', value: 'green' },
        { op: 'add', path: '/data/size', value: 'M' },
        { op: 'remove', path: '/data/extra' },
      );
    await hooks.register(kind, { patches: { handler } });
    const name = scope.name('patched');
    const data = { colour: 'red', extra: 'x' };
    const created = await scope.api.post(scope.core('configmaps'), hooks.object(name, data));
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ metadata: { labels: { ...hooks.labels, patched: 'yes' } } });
    expect(created.body.data).toEqual({ colour: 'green', size: 'M' });
    expect((await scope.api.get(scope.core('configmaps', name))).body.data).toEqual(created.body.data);
  });

  rule('mutates updates, patches and applies as it does creations', async (scope) => {
    const hooks = await startWebhooks(scope);
    const handler: ReviewHandler = ({ request }) =>
      patched({ op: 'add', path: '/data/seen', value: request.operation });
    await hooks.register(kind, { seen: { handler, operations: ['CREATE', 'UPDATE'] } });
    const name = scope.name('seen');
    const path = scope.core('configmaps', name);
    const seen = ({ status, body }: { status: number; body: { data?: Record<string, string> } }) => [
      status,
      body.data?.['seen'],
    ];
    const object = (step: string): object => hooks.object(name, { step });
    expect(seen(await scope.api.apply(path, 'conformance', object('1')))).toEqual([201, 'CREATE']);
    expect(seen(await scope.api.put(path, object('2')))).toEqual([200, 'UPDATE']);
    const change = [{ op: 'replace', path: '/data', value: { step: '3' } }];
    expect(seen(await scope.api.patch(path, 'json', change))).toEqual([200, 'UPDATE']);
    const { body } = await scope.api.get(path);
    expect(body.data).toEqual({ step: '3', seen: 'UPDATE' });
  });

  rule(
    'asks mutating webhooks one after another, by name of the configuration and in its order',
    async (scope) => {
      const hooks = await startWebhooks(scope);
      const name = scope.name('order');
      await hooks.register(kind, { c: { handler: tracing('c') } }, `${name}-2`);
      await hooks.register(kind, { b: { handler: tracing('b') }, a: { handler: tracing('a') } }, `${name}-1`);
      const created = await scope.api.post(scope.core('configmaps'), hooks.object(name, { trace: '' }));
      expect(created.status).toBe(201);
      expect(created.body.data).toEqual({ trace: 'bac' });
    },
  );

  rule('asks validating webhooks about the object that the mutating ones made', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register('ValidatingWebhookConfiguration', {
      'no-blue': {
        handler: ({ request }) =>
          request.object?.data?.['colour'] === 'blue' ? deny({ message: 'no blue' }) : allow(),
      },
    });
    await hooks.register(kind, {
      paint: {
        handler: ({ request }) =>
          patched({
            op: 'replace',
            path: '/data/colour',
            value: request.object?.data?.['colour'] === 'red' ? 'blue' : 'red',
          }),
      },
    });
    const path = scope.core('configmaps');
    const denied = await scope.api.post(path, hooks.object(scope.name('red'), { colour: 'red' }));
    expect(denied.status).toBe(400);
    expect(denied.body.message).toContain('no blue');
    const stored = await scope.api.post(path, hooks.object(scope.name('blue'), { colour: 'blue' }));
    expect(stored.status).toBe(201);
    expect(stored.body.data).toEqual({ colour: 'red' });
  });

  rule('validates the object that mutating webhooks made', async (scope) => {
    const hooks = await startWebhooks(scope);
    const handler = () => patched({ op: 'add', path: '/data/not~1a~1key', value: 'x' });
    await hooks.register(kind, { breaks: { handler } });
    const name = scope.name('broken');
    const answer = await scope.api.post(scope.core('configmaps'), hooks.object(name, { good: 'x' }));
    expect(answer.status).toBe(422);
    expect(answer.body.details?.causes).toContainEqual(
      expect.objectContaining({ field: 'data[not/a/key]', reason: 'FieldValueInvalid' }),
    );
    expect((await scope.api.get(scope.core('configmaps', name))).status).toBe(404);
  });

  rule(
    'asks a webhook again with reinvocationPolicy IfNeeded when a later one changed the object',
    async (scope) => {
      const hooks = await startWebhooks(scope);
      await hooks.register(kind, {
        needed: { handler: setting('first'), fields: { reinvocationPolicy: 'IfNeeded' } },
        never: { handler: setting('second') },
        last: { handler: setting('third') },
      });
      const created = await scope.api.post(
        scope.core('configmaps'),
        hooks.object(scope.name('again'), { x: 'y' }),
      );
      expect(created.status).toBe(201);
      expect(created.body.data).toEqual({ x: 'y', first: 'set', second: 'set', third: 'set' });
      expect(hooks.asked('needed').map(({ object }) => object?.data)).toEqual([
        { x: 'y' },
        { x: 'y', first: 'set', second: 'set', third: 'set' },
      ]);
      expect(hooks.asked('never')).toHaveLength(1);
      expect(hooks.asked('last')).toHaveLength(1);
    },
  );

  rule('does not ask a webhook again when no later one changed the object', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, {
      needed: { handler: setting('first'), fields: { reinvocationPolicy: 'IfNeeded' } },
      idle: {},
    });
    const object = hooks.object(scope.name('once'), { x: 'y' });
    const created = await scope.api.post(scope.core('configmaps'), object);
    expect(created.body.data).toEqual({ x: 'y', first: 'set' });
    expect(hooks.asked('needed')).toHaveLength(1);
    expect(hooks.asked('idle').map(({ object: seen }) => seen?.data)).toEqual([{ x: 'y', first: 'set' }]);
  });

  rule('refuses the request when a mutating webhook denies it, and asks no further ones', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, {
      no: { handler: () => deny({ code: 403, reason: 'Forbidden', message: 'closed' }) },
      after: {},
    });
    const denied = await scope.api.post(scope.core('configmaps'), hooks.object(scope.name('denied')));
    expect(denied.status).toBe(403);
    expect(denied.body).toMatchObject({
      reason: 'Forbidden',
      message: `admission webhook "${hookName('no')}" denied the request: closed`,
    });
    expect(hooks.asked('after')).toHaveLength(0);
  });

  rule('answers a patch that does not fit with 500, and stores nothing', async (scope) => {
    const hooks = await startWebhooks(scope);
    await hooks.register(kind, {
      unfit: { handler: () => patched({ op: 'remove', path: '/data/missing' }) },
    });
    const name = scope.name('unfit');
    const answer = await scope.api.post(scope.core('configmaps'), hooks.object(name, { x: 'y' }));
    expect({ status: answer.status, reason: answer.body.reason }).toEqual({
      status: 500,
      reason: 'InternalError',
    });
    expect((await scope.api.get(scope.core('configmaps', name))).status).toBe(404);
  });

  rule('takes a patch only with patchType JSONPatch', async (scope) => {
    const hooks = await startWebhooks(scope);
    const patch = Buffer.from('[{"op":"add","path":"/data/x","value":"z"}]').toString('base64');
    await hooks.register(kind, {
      typed: {
        handler: ({ request }) =>
          allow({ patch, ...(request.object?.data?.['typed'] && { patchType: 'JSONPatch' }) }),
      },
    });
    const path = scope.core('configmaps');
    const refused = await scope.api.post(path, hooks.object(scope.name('untyped'), { x: 'y' }));
    expect(refused.status).toBe(500);
    expect(refused.body.message).toContain(
      `failed calling webhook "${hookName('typed')}": received invalid webhook response:`,
    );
    const stored = await scope.api.post(path, hooks.object(scope.name('typed'), { typed: 'yes' }));
    expect(stored.status).toBe(201);
    expect(stored.body.data).toEqual({ typed: 'yes', x: 'z' });
  });
}
